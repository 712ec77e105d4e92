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
        var (high, low, count): (UInt64, UInt64, Int) = (0, 0, 0)
        for digit in text.utf8 {
            let value: UInt64
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = UInt64(digit - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = UInt64(digit - UInt8(ascii: "A") + 10)
            default: return nil
            }
            // The highest digit moves from the low half into the high one.
            high = high << 4 | low >> 60
            low = low << 4 | value
            count += 1
        }
        guard count == 32 else { return nil }
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
