import Glibc

extension Double {
    /// With this many digits after the point.
    func text(decimals: Int) -> String {
        // The largest has 309 digits before the point.
        String(unsafeUninitializedCapacity: 320 + decimals) { buffer in
            withVaList([CInt(decimals), self]) { arguments in
                buffer.withMemoryRebound(to: CChar.self) { Int(vsnprintf($0.baseAddress, $0.count, "%.*f", arguments)) }
            }
        }
    }
}
