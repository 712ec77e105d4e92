/// A first-in, first-out queue of bytes in one piece of memory, which is freed when the queue is empty.
struct ByteQueue: ~Copyable {
    private static let smallest = 2 << 10
    /// More than that is a burst: room for the 64 KiB that leave together, in records.
    private static let burst = 80 << 10

    private var storage: UnsafeMutableRawBufferPointer?
    private var head = 0
    private(set) var count = 0

    init() {}

    deinit { storage?.deallocate() }

    var isEmpty: Bool { count == 0 }

    /// The contents in one piece; valid until the next change.
    var bytes: UnsafeRawBufferPointer {
        guard let storage, count > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(rebasing: storage[head..<head + count])
    }

    mutating func append(_ source: UnsafeRawBufferPointer) {
        guard !source.isEmpty else { return }
        let target = makeRoom(for: source.count)
        UnsafeMutableRawBufferPointer(rebasing: target[(head + count)...]).copyMemory(from: source)
        count += source.count
    }

    mutating func consume(_ taken: Int) {
        count -= taken
        head += taken
        if count == 0 { removeAll() }
    }

    mutating func removeAll() {
        storage?.deallocate()
        storage = nil
        head = 0
        count = 0
    }

    private mutating func makeRoom(for more: Int) -> UnsafeMutableRawBufferPointer {
        let needed = count + more
        if let storage {
            if head + needed <= storage.count { return storage }
            if needed <= storage.count / 2 {
                // At least half is free: moving the rest costs less than what was removed since the last move.
                storage.copyMemory(from: bytes)
                head = 0
                return storage
            }
        }
        let usual = needed > Self.smallest ? Self.burst : Self.smallest
        let capacity = max(usual, (storage?.count ?? 0) * 2, needed)
        let grown = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        grown.copyMemory(from: bytes)
        storage?.deallocate()
        storage = grown
        head = 0
        return grown
    }
}
