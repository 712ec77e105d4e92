extension String {
    /// Lends the UTF-8 bytes without a copy where the string holds them in one piece, as every native string does.
    @inlinable
    func withContiguousUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        return Array(utf8).withUnsafeBufferPointer(body)
    }
}
