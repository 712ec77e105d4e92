extension String {
    /// Passes the UTF-8 bytes to `body`; without a copy if the string stores them contiguously, as native strings do.
    @inlinable
    func withContiguousUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        return Array(utf8).withUnsafeBufferPointer(body)
    }
}
