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

    /// Reads a `:status`: exactly three digits (RFC 9110 section 15).
    static func status(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        guard text.count == 3, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return -1 }
        return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    static func isStatus(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        name.elementsEqual(":status".utf8)
    }
}
