/// The id of one push, the value of the header `apns-id`: 16 bytes, written 8-4-4-4-12 in lower-case hexadecimal.
///
/// By default the runtime makes one for every push, so that a push can be traced before it is answered, and a resend
/// has the id of its first attempt. The ids that APNs makes are upper case and have any version nibble. Both are
/// accepted, and comparison ignores case.
public struct APNSID: Hashable, Sendable {
    /// The first eight bytes, big endian.
    public let high: UInt64
    /// The last eight bytes, big endian.
    public let low: UInt64

    /// The length of the text form, in bytes.
    @inlinable public static var textLength: Int { 36 }

    /// Creates an id from its two halves, bit for bit.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates a random id (UUID version 4, RFC 9562, section 5.4) from the system's generator.
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    /// Creates a random id (UUID version 4) from the given generator.
    public init(using generator: inout some RandomNumberGenerator) {
        self.init(randomHigh: generator.next(), low: generator.next())
    }

    /// Creates a version 4 id from 128 random bits, six of which are replaced by version and variant.
    @inlinable
    package init(randomHigh high: UInt64, low: UInt64) {
        self.init(
            high: high & 0xffff_ffff_ffff_0fff | 0x0000_0000_0000_4000,
            low: low & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000)
    }

    /// Parses the text form, in either case and any version. Nil unless it has 36 characters with hyphens in the right
    /// places.
    public init?(_ text: some StringProtocol) {
        let id = String(text).withContiguousUTF8 { APNSID(utf8: UnsafeRawBufferPointer($0)) }
        guard let id else { return nil }
        self = id
    }

    /// Parses the text form from bytes, as in a header.
    package init?(utf8: UnsafeRawBufferPointer) {
        guard utf8.count == Self.textLength else { return nil }
        var halves: (high: UInt64, low: UInt64) = (0, 0)
        var digits = 0
        for index in 0..<Self.textLength {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard utf8[index] == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let value = Hex.value(of: utf8[index]) else { return nil }
            if digits < 16 {
                halves.high = halves.high << 4 | UInt64(value)
            } else {
                halves.low = halves.low << 4 | UInt64(value)
            }
            digits += 1
        }
        self.init(high: halves.high, low: halves.low)
    }

    /// Passes the text form to `body` as bytes on the stack.
    @inlinable
    package func withUTF8<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeTemporaryAllocation(byteCount: Self.textLength, alignment: 1) { text in
            write(into: text)
            return body(UnsafeRawBufferPointer(text))
        }
    }

    /// Writes the text form into a buffer that is large enough.
    @inlinable
    package func write(into text: UnsafeMutableRawBufferPointer) {
        let groups = (
            Hex.digits(UInt32(truncatingIfNeeded: high >> 32)), Hex.digits(UInt32(truncatingIfNeeded: high)),
            Hex.digits(UInt32(truncatingIfNeeded: low >> 32)), Hex.digits(UInt32(truncatingIfNeeded: low))
        )
        text.storeBytes(of: groups.0, as: UInt64.self)
        Self.write(groups.1, into: text, at: 8)
        Self.write(groups.2, into: text, at: 18)
        text.storeBytes(of: groups.3, toByteOffset: 28, as: UInt64.self)
    }

    /// Writes eight digits as two groups of four, each after a hyphen.
    @inlinable
    static func write(_ digits: UInt64, into text: UnsafeMutableRawBufferPointer, at position: Int) {
        withUnsafeBytes(of: digits) { digits in
            text[position] = UInt8(ascii: "-")
            text.storeBytes(of: digits.load(as: UInt32.self), toByteOffset: position + 1, as: UInt32.self)
            text[position + 5] = UInt8(ascii: "-")
            text.storeBytes(
                of: digits.load(fromByteOffset: 4, as: UInt32.self), toByteOffset: position + 6, as: UInt32.self)
        }
    }

    /// Appends the text form, 36 bytes.
    @inlinable
    package func append(to bytes: inout [UInt8]) {
        withUTF8 { bytes.append(contentsOf: $0) }
    }
}

extension APNSID: CustomStringConvertible {
    /// The text form, in lower case.
    public var description: String {
        withUTF8 { String(decoding: $0, as: UTF8.self) }
    }
}

/// Who makes the `apns-id` of a push.
public enum APNSIDPolicy: Hashable, Sendable {
    /// The runtime makes a random id for each push. It is known before the answer and repeated on every resend. The
    /// default.
    case generated
    /// No id is sent. APNs makes one and returns it in its answer. Saves about 30 bytes per push.
    case byServer
    /// This id is sent. Feedback about the push then has it as its subject.
    case fixed(APNSID)

    /// The id to send; nil for none. Calls `generate` only if an id must be made.
    @inlinable
    package func resolve(generate: () -> APNSID) -> APNSID? {
        switch self {
        case .generated: generate()
        case .byServer: nil
        case .fixed(let id): id
        }
    }
}
