import PushLocking

/// The large buffers of a read burst: one set for each thread that is reading, none for an idle connection.
final class ScratchBuffers: @unchecked Sendable {
    // Sendable: between `borrow` and `giveBack` a set belongs to one burst on one thread.
    private static let size = 64 << 10
    private static let keptAtMost = 16
    private static let pool = Locked<[ScratchBuffers]>([])

    let ciphertext = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)
    let plaintext = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)

    private init() {}

    deinit {
        ciphertext.deallocate()
        plaintext.deallocate()
    }

    static func borrow() -> ScratchBuffers { pool.withLock { $0.popLast() } ?? ScratchBuffers() }

    static func giveBack(_ buffers: ScratchBuffers) {
        pool.withLock { if $0.count < keptAtMost { $0.append(buffers) } }
    }
}
