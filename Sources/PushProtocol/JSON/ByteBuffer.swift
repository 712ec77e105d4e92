/// Bytes that grow at their end. An append costs a comparison, where an array checks its uniqueness each time.
struct ByteBuffer: ~Copyable {
    private var memory: UnsafeMutableRawBufferPointer
    private var count = 0

    init(capacity: Int) {
        memory = .allocate(byteCount: max(16, capacity), alignment: 1)
    }

    deinit { memory.deallocate() }

    /// The bytes so far; valid until the next change.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        memory[count] = byte
        count += 1
    }

    @inline(__always)
    mutating func append(_ source: UnsafeBufferPointer<UInt8>) {
        reserve(source.count)
        place(source)
    }

    /// Appends bytes between two signs, after a comma if there is to be one.
    @inline(__always)
    mutating func append(
        _ source: UnsafeBufferPointer<UInt8>, after comma: Bool, between open: UInt8, and close: UInt8
    ) {
        // One check for all of it.
        reserve(source.count + 3)
        if comma { place(UInt8(ascii: ",")) }
        place(open)
        place(source)
        place(close)
    }

    private mutating func place(_ byte: UInt8) {
        memory[count] = byte
        count += 1
    }

    private mutating func place(_ source: UnsafeBufferPointer<UInt8>) {
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: UnsafeRawBufferPointer(source))
        count += source.count
    }

    @inline(__always)
    private mutating func reserve(_ size: Int) {
        if memory.count - count < size { grow(by: size) }
    }

    @inline(never)
    private mutating func grow(by size: Int) {
        let capacity = max(memory.count * 2, count + size)
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
        larger.copyMemory(from: bytes)
        memory.deallocate()
        memory = larger
    }
}
