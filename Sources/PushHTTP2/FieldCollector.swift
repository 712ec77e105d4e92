/// Collects the fields of one header block after another in reused memory, and makes an array of each block.
struct FieldCollector: ~Copyable {
    /// Memory beyond this is freed after a block, because connections are idle most of the time.
    private static let keptCapacity = 1_024

    private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var used = 0
    /// How many fields were collected.
    private(set) var count = 0

    init() {}

    deinit {
        buffer.deallocate()
    }

    @inline(__always)
    mutating func append(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        let size = HeaderBlock.prefix + name.count + value.count
        if buffer.count - used < size { grow(by: size) }
        guard var target = buffer.baseAddress.map({ $0 + used }) else { return }
        target.storeBytes(of: UInt32(clamping: name.count), as: UInt32.self)
        target.storeBytes(of: UInt32(clamping: value.count), toByteOffset: 4, as: UInt32.self)
        target += HeaderBlock.prefix
        if let bytes = name.baseAddress { target.copyMemory(from: bytes, byteCount: name.count) }
        target += name.count
        if let bytes = value.baseAddress { target.copyMemory(from: bytes, byteCount: value.count) }
        used += size
        count += 1
    }

    @inline(never)
    private mutating func grow(by size: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(256, buffer.count * 2, used + size), alignment: 1)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<used]))
        buffer.deallocate()
        buffer = larger
    }

    /// Returns the collected fields in an array of exactly their size, and empties the collector.
    mutating func take() -> HeaderBlock {
        let block = HeaderBlock(UnsafeRawBufferPointer(rebasing: buffer[..<used]), count: count)
        removeAll()
        return block
    }

    mutating func removeAll() {
        used = 0
        count = 0
        guard buffer.count > Self.keptCapacity else { return }
        buffer.deallocate()
        buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }
}
