#if os(Linux)
    import Glibc
#else
    #error("supervised-push runs on Linux: see docs/support.md")
#endif

/// Random numbers of the system, read in blocks: a call for each costs a quarter of a microsecond.
package struct RandomWords: RandomNumberGenerator, Sendable {
    /// 256 bytes, the most that one call returns without being interrupted.
    private static let blockSize = 32

    private var words: [UInt64] = []

    package init() {}

    package mutating func next() -> UInt64 {
        if words.isEmpty { words = Self.draw() }
        return words.removeLast()
    }

    private static func draw() -> [UInt64] {
        var words = [UInt64](repeating: 0, count: blockSize)
        let code = words.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) }
        guard code == 0 else {
            // Only kernels without the call get here; they read word by word.
            var system = SystemRandomNumberGenerator()
            return words.map { _ in system.next() }
        }
        return words
    }
}
