import PushProtocol
import SupervisedPush

/// The name of an entry, from the moment it is put into a queue until its last outcome is read.
///
/// It is stored with the entry and moves with it. The apns-id of each of its pushes is derived from it, so each attempt
/// of any worker has the same one.
public struct EntryID: Hashable, Sendable {
    /// The first eight bytes, big endian.
    public let high: UInt64
    /// The last eight bytes, big endian.
    public let low: UInt64

    /// Creates an id from its two halves, bit for bit.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates a random id from the system's generator.
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    /// Creates a random id from the given generator.
    public init(using generator: inout some RandomNumberGenerator) {
        self.init(high: generator.next(), low: generator.next())
    }

    /// Parses 32 hexadecimal digits, in either case; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let id = text.utf8.withContiguousStorageIfAvailable { EntryID(digits: $0) }
        guard let id = id ?? Array(text.utf8).withUnsafeBufferPointer({ EntryID(digits: $0) }) else { return nil }
        self = id
    }

    /// The same from bytes.
    init?(digits: UnsafeBufferPointer<UInt8>) {
        guard digits.count == 32 else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for position in 0..<16 {
            guard let first = Hex.value(of: digits[position]), let last = Hex.value(of: digits[position + 16]) else {
                return nil
            }
            (high, low) = (high << 4 | UInt64(first), low << 4 | UInt64(last))
        }
        self.init(high: high, low: low)
    }

    /// The apns-id of the push to one of the entry's device tokens: a UUID of version 8 (RFC 9562, section 5.8).
    ///
    /// - Parameter index: The token's position in the entry, from 0.
    public func apnsID(of index: Int) -> APNSID {
        // The lowest 32 bits tell the tokens of one entry apart; those of different entries differ in the others.
        APNSID(
            high: high & 0xffff_ffff_ffff_0fff | 0x0000_0000_0000_8000,
            low: (low & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000) ^ UInt64(UInt32(truncatingIfNeeded: index)))
    }
}

extension EntryID: CustomStringConvertible {
    /// 32 lower-case hexadecimal digits.
    public var description: String {
        // Written with each entry and each outcome, so it allocates once.
        String(unsafeUninitializedCapacity: 32) { digits in
            for position in 0..<32 {
                let half = position < 16 ? high : low
                let value = UInt8(truncatingIfNeeded: half >> UInt64(60 - 4 * (position & 15))) & 15
                digits[position] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
            }
            return 32
        }
    }
}
