/// The response header block being received: which stream it is for, its `:status`, and its fields so far.
struct IncomingBlock: ~Copyable {
    /// The stream's slot; nil if nobody is interested in the block.
    private(set) var slot: Int?
    /// 0 until it arrived, -1 if it is not three digits.
    private(set) var status = 0
    /// The header list's size so far, as RFC 9113 counts it.
    private var size = 0
    private var fields = FieldCollector()

    init() {}

    /// 1xx announce that the final response is still to come (RFC 9110 section 15.2).
    var isInformational: Bool { (100..<200).contains(status) }

    var isFinal: Bool { (200..<600).contains(status) }

    /// A block begins; nil if it is of no interest.
    mutating func begin(_ slot: Int?) {
        self.slot = slot
        status = 0
        size = 0
        fields.removeAll()
    }

    /// Nobody is interested in the rest.
    mutating func ignore() {
        slot = nil
    }

    /// The fields that were kept.
    mutating func takeFields() -> HeaderBlock { fields.take() }

    /// Keeps a field, if it is neither the status nor of an announcement.
    ///
    /// - Returns: false if the block exceeds a bound with it.
    @inline(__always)
    mutating func collect(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>,
        _ bounds: borrowing ClientSession.Configuration
    ) -> Bool {
        guard slot != nil else { return true }
        if Self.isStatus(name) {
            if status == 0 { status = Self.status(value) }
            return true
        }
        guard !isInformational else { return true }
        size += name.count + value.count + 32
        guard size <= bounds.maxHeaderListBytes, fields.count < bounds.maxHeaderFields else { return false }
        fields.append(name, value)
        return true
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
