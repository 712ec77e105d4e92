/// The response header block that is being received: its stream, its `:status`, and its fields so far.
struct IncomingBlock: ~Copyable {
    /// The stream's slot; nil if the block is ignored.
    private(set) var slot: Int?
    /// 0 until it arrives, -1 if it is not three digits.
    private(set) var status = 0
    /// The size of the header list so far, as RFC 9113 counts it.
    private var size = 0
    private var fields = FieldCollector()

    init() {}

    /// 1xx announces that the final response will follow (RFC 9110, section 15.2).
    var isInformational: Bool { (100..<200).contains(status) }

    var isFinal: Bool { (200..<600).contains(status) }

    /// Begins a block; nil means ignore it.
    mutating func begin(_ slot: Int?) {
        self.slot = slot
        status = 0
        size = 0
        fields.removeAll()
    }

    /// Frees all memory. Not within a block.
    mutating func rest() { self = IncomingBlock() }

    /// Ignores the rest of the block.
    mutating func ignore() {
        slot = nil
    }

    /// Returns the collected fields.
    mutating func takeFields() -> HeaderBlock { fields.take() }

    /// Collects a field, unless it is the status or belongs to an informational response.
    ///
    /// - Returns: False if the field exceeds a bound of the block.
    @inline(__always)
    mutating func collect(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>,
        within bounds: borrowing ClientSession.Configuration
    ) -> Bool {
        guard slot != nil else { return true }
        if Self.isStatus(name) {
            if status == 0 { status = Self.status(value) }
            return true
        }
        guard !isInformational else { return true }
        size += name.count + value.count + 32
        guard size <= bounds.maxHeaderListBytes, fields.count < bounds.maxHeaderFields else { return false }
        fields.append(name, Self.trimmed(value))
        return true
    }

    /// Without the blanks at the ends, which are no part of a value (RFC 9110, section 5.5).
    @inline(__always)
    private static func trimmed(_ value: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        guard let first = value.first, let last = value.last, isBlank(first) || isBlank(last) else { return value }
        let start = value.firstIndex { !isBlank($0) } ?? value.endIndex
        let end = value.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
        return UnsafeBufferPointer(rebasing: value[start..<end])
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Parses a `:status`: exactly three digits (RFC 9110, section 15).
    static func status(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        guard text.count == 3, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return -1 }
        return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    static func isStatus(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        // `:status` is the only pseudo-header field of a response (RFC 9113, section 8.3.2).
        name.first == UInt8(ascii: ":")
    }
}

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
