/// The address of one app on one device, as the app received it from the system and sent it to you.
///
/// Its length is not fixed: 64 hexadecimal digits are common, 160 have been seen, and Apple may choose others. Any even
/// number of digits from 2 to 512 is accepted. The case of the digits is kept as it was given and sent like that, but
/// two tokens that differ in case only are equal, because they name the same device.
///
/// A device token is personal data. `description` is therefore shortened, and `dump` shows nothing more; ask for
/// `hex` where you mean the whole token.
public struct DeviceToken: Hashable, Sendable {
    /// The numbers of hexadecimal digits that are accepted; odd numbers in it are not.
    public static let acceptedLengths = 2...512

    /// All digits, in the case in which they were given.
    public private(set) var hex: String

    /// Takes a token from its hexadecimal digits.
    ///
    /// - Parameter hex: an even number of digits, 2 to 512, upper or lower case, nothing else: no spaces, no `<` and `>`.
    /// - Throws: `InvalidDeviceToken`, which says what is wrong and does not repeat the token.
    public init(_ hex: String) throws(InvalidDeviceToken) {
        if let problem = hex.withContiguousUTF8(Self.problem) { throw InvalidDeviceToken(problem) }
        self.hex = hex
        // A copy only where the text came from elsewhere than Swift.
        self.hex.makeContiguousUTF8()
    }

    /// Takes a token from a part of a longer text; as `init(_:)` for a `String`.
    public init(_ hex: some StringProtocol) throws(InvalidDeviceToken) {
        try self.init(String(hex))
    }

    private static func problem(with digits: UnsafeBufferPointer<UInt8>) -> InvalidDeviceToken.Problem? {
        if digits.isEmpty { return .empty }
        if let offset = digits.firstIndex(where: { Hex.value(of: $0) == nil }) {
            return .notHexadecimal(offset: offset)
        }
        if digits.count > acceptedLengths.upperBound { return .tooLong(digits: digits.count) }
        return digits.count.isMultiple(of: 2) ? nil : .oddLength(digits: digits.count)
    }

    /// Takes a token from its bytes, as the device has them and as MDM reports them.
    ///
    /// - Parameter bytes: 1 to 256 bytes. They become lower-case digits.
    /// - Throws: `InvalidDeviceToken` for no bytes or more than 256.
    public init(bytes: some Collection<UInt8>) throws(InvalidDeviceToken) {
        let length = bytes.count * 2
        if length == 0 { throw InvalidDeviceToken(.empty) }
        if length > Self.acceptedLengths.upperBound { throw InvalidDeviceToken(.tooLong(digits: length)) }
        hex = String(unsafeUninitializedCapacity: length) { digits in
            var index = 0
            for byte in bytes.prefix(length / 2) {
                digits[index] = Hex.digit(byte >> 4)
                digits[index + 1] = Hex.digit(byte)
                index += 2
            }
            return index
        }
    }

    /// Takes digits that are known to be valid.
    init(trusted hex: String) {
        self.hex = hex
    }

    /// The bytes that the digits stand for, half as many as there are digits.
    public var bytes: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(hex.utf8.count / 2)
        var high: UInt8?
        for digit in hex.utf8 {
            let value = Hex.value(of: digit) ?? 0
            if let first = high {
                result.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return result
    }

    // A hexadecimal digit with bit 5 set is its lower-case form, and digits 0–9 have that bit already. So equality and
    // hash fold the case eight digits at a time.
    private static let caseBit: UInt8 = 0x20
    private static let caseBits: UInt64 = 0x2020_2020_2020_2020

    /// Whether both name the same device; the case of the digits does not matter.
    public static func == (left: Self, right: Self) -> Bool {
        if left.hex == right.hex { return true }
        guard left.hex.utf8.count == right.hex.utf8.count else { return false }
        return left.hex.withContiguousUTF8 { left in
            right.hex.withContiguousUTF8 { right in
                areEqual(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
            }
        }
    }

    /// Compares as many digits of one as of the other.
    private static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset + 8 <= left.count {
            let first = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self) | caseBits
            guard first == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self) | caseBits else { return false }
            offset += 8
        }
        while offset < left.count {
            guard left[offset] | caseBit == right[offset] | caseBit else { return false }
            offset += 1
        }
        return true
    }

    /// Hashes the digits without regard to their case.
    public func hash(into hasher: inout Hasher) {
        hex.withContiguousUTF8 { utf8 in
            let raw = UnsafeRawBufferPointer(utf8)
            var offset = 0
            while offset + 8 <= raw.count {
                hasher.combine(raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self) | Self.caseBits)
                offset += 8
            }
            while offset < raw.count {
                hasher.combine(raw[offset] | Self.caseBit)
                offset += 1
            }
        }
    }
}

extension DeviceToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The first and the last four digits, `a1b2…9f00`; of a token of fewer than 16 digits only the number of digits.
    public var description: String {
        let length = hex.utf8.count
        return length < 16 ? "(\(length) digits)" : "\(hex.prefix(4))…\(hex.suffix(4))"
    }

    /// The same shortened form as `description`.
    public var debugDescription: String { "DeviceToken(\(description))" }

    /// Nothing beyond the shortened form.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
