/// The response header block being received: which stream it is for, and its `:status`.
struct IncomingBlock {
    /// The stream's slot; nil if nobody is interested in the block.
    var slot: Int?
    /// 0 until it arrived, -1 if it is not three digits.
    var status = 0
    /// The header list's size so far, as RFC 9113 counts it.
    var size = 0

    /// 1xx announce that the final response is still to come (RFC 9110 section 15.2).
    var isInformational: Bool { (100..<200).contains(status) }

    var isFinal: Bool { (200..<600).contains(status) }

    /// Counts a field. Returns the slot that keeps it; nil if nobody does, because it is the status or of an announcement.
    mutating func count(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let slot else { return nil }
        if Self.isStatus(name) {
            if status == 0 { status = Self.status(value) }
            return nil
        }
        guard !isInformational else { return nil }
        size += name.count + value.count + 32
        return slot
    }

    /// Reads a `:status`: exactly three digits (RFC 9110 section 15).
    static func status(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        guard text.count == 3, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return -1 }
        return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    static func isStatus(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        // The only pseudo field of a response (RFC 9113 section 8.3.2).
        name.first == UInt8(ascii: ":")
    }
}
