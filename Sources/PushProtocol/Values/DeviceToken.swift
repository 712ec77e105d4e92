import FoundationEssentials

/// The address of one app on one device. The app receives it from the system and sends it to you.
///
/// Its length is not fixed: 64 hexadecimal digits are common, 160 have been seen, and Apple may choose others. Any even
/// number of digits from 2 to 512 is accepted. The digits are stored and sent in their original case, but tokens that
/// differ only in case are equal, because they identify the same device.
///
/// A device token is personal data. `description` is therefore shortened, and `dump` shows no more. Use `hex` for the
/// complete token.
public struct DeviceToken: Hashable, Sendable {
    /// The accepted numbers of hexadecimal digits; only even numbers are valid.
    public static let acceptedLengths = 2...512

    /// All digits, in their original case.
    public private(set) var hex: String

    /// Creates a token from its hexadecimal digits.
    ///
    /// - Parameter hex: An even number of digits, 2 to 512, in upper or lower case, without spaces or `<` and `>`.
    /// - Throws: `InvalidDeviceToken`, which says what is wrong and does not contain the token.
    public init(_ hex: String) throws(InvalidDeviceToken) {
        if let problem = hex.withContiguousUTF8(Self.problem) { throw InvalidDeviceToken(problem, of: hex) }
        self.hex = hex
        // Copies only a string that is not native to Swift.
        self.hex.makeContiguousUTF8()
    }

    /// Creates a token from a part of a longer string, like `init(_:)` for a `String`.
    public init(_ hex: some StringProtocol) throws(InvalidDeviceToken) {
        try self.init(String(hex))
    }

    private static func problem(with digits: UnsafeBufferPointer<UInt8>) -> InvalidDeviceToken.Problem? {
        if digits.isEmpty { return .empty }
        if !Hex.areDigits(digits), let offset = digits.firstIndex(where: { Hex.value(of: $0) == nil }) {
            return .notHexadecimal(offset: offset)
        }
        if digits.count > acceptedLengths.upperBound { return .tooLong(digits: digits.count) }
        return digits.count.isMultiple(of: 2) ? nil : .oddLength(digits: digits.count)
    }

    /// Creates a token from its bytes, as the device has them and MDM reports them.
    ///
    /// - Parameter bytes: 1 to 256 bytes. They become lower-case digits.
    /// - Throws: `InvalidDeviceToken` if there are no bytes or more than 256.
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

    /// Creates a token from digits that are known to be valid.
    init(trusted hex: String) {
        self.hex = hex
    }

    /// The bytes that the digits represent.
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

    // A hexadecimal digit with bit 5 set is its lower-case form; the digits 0–9 have that bit already. So equality and
    // hash fold the case eight digits at a time.
    private static let caseBit: UInt8 = 0x20
    private static let caseBits: UInt64 = 0x2020_2020_2020_2020

    /// Whether both identify the same device. Ignores the case of the digits.
    public static func == (left: Self, right: Self) -> Bool {
        if left.hex == right.hex { return true }
        guard left.hex.utf8.count == right.hex.utf8.count else { return false }
        return left.hex.withContiguousUTF8 { left in
            right.hex.withContiguousUTF8 { right in
                areEqual(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
            }
        }
    }

    /// Compares two buffers of the same length.
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

    /// Hashes the digits, ignoring their case.
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
    /// The first and the last four digits, `a1b2…9f00`. For fewer than 16 digits, only their number.
    public var description: String {
        let length = hex.utf8.count
        return length < 16 ? "(\(length) digits)" : "\(hex.prefix(4))…\(hex.suffix(4))"
    }

    /// The shortened form, like `description`.
    public var debugDescription: String { "DeviceToken(\(description))" }

    /// Contains nothing beyond the shortened form.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A text is not a valid device token. The error never contains the text, so it may be logged.
public struct InvalidDeviceToken: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with the text.
    @nonexhaustive public enum Problem: Hashable, Sendable {
        /// It is empty.
        case empty
        /// The byte at this offset is not a hexadecimal digit. Offsets count UTF-8 bytes from 0.
        case notHexadecimal(offset: Int)
        /// The number of digits is odd, so half a byte is missing.
        case oddLength(digits: Int)
        /// There are more digits than `DeviceToken.acceptedLengths` allows.
        case tooLong(digits: Int)
        /// The text is not base64.
        case notBase64
    }

    /// What is wrong.
    public let problem: Problem
    /// What the text looks like instead.
    let other: OtherToken?

    /// - Parameter text: What is not a device token; it is not kept.
    init(_ problem: Problem, of text: String = "") {
        self.problem = problem
        if case .notHexadecimal = problem { other = OtherToken(text) } else { other = nil }
    }

    /// A sentence that says what is wrong, and what a device token looks like.
    public var description: String {
        if let other { return "the device token \(other.sentence)" }
        return switch problem {
        case .empty:
            "the device token is empty: give its hexadecimal digits"
        case .notHexadecimal(let offset):
            "the device token contains something other than a hexadecimal digit at offset \(offset): "
                + "give only the digits, without spaces or brackets"
        case .oddLength(let digits):
            "the device token has \(digits) digits, an odd number: two digits make a byte, so one is missing"
        case .tooLong(let digits):
            "the device token has \(digits) digits, more than \(DeviceToken.acceptedLengths.upperBound): "
                + "this is not a device token"
        case .notBase64:
            "the device token is not base64 with its padding: give the data as the device reported it"
        }
    }
}

extension DeviceToken {
    /// Creates a token from base64, the form in MDM check-in messages.
    ///
    /// - Parameter base64: Standard base64 with padding. White space and line breaks, as in property lists, are
    ///   ignored.
    /// - Throws: `InvalidDeviceToken`.
    public init(base64: some StringProtocol) throws(InvalidDeviceToken) {
        let digits = base64.filter { !$0.isWhitespace }
        guard let data = Data(base64Encoded: String(digits)) else { throw InvalidDeviceToken(.notBase64) }
        try self.init(bytes: data)
    }
}

/// What people take for a device token and is none, by its shape.
package enum OtherToken: Hashable, Sendable, CaseIterable {
    case base64, firebase, expo, uuid

    /// Nil if the text looks like none of them. A device token with a wrong digit does not.
    package init?(_ text: String) {
        let kind = Self.allCases.first { $0.fits(Array(text.utf8)) }
        guard let kind else { return nil }
        self = kind
    }

    /// What it looks like and what to give, after `the device token`. It shows nothing of the text.
    package var sentence: String {
        switch self {
        case .base64: "looks like base64: give its bytes as hexadecimal digits, two for each byte"
        case .firebase:
            "looks like a registration token of Firebase, which APNs does not know: give the token that the app got "
                + "from APNs, apnsToken in Firebase's library"
        case .expo:
            "looks like a token of Expo's push service, which APNs does not know: give the token that the app got from "
                + "APNs, getDevicePushTokenAsync() in Expo's library"
        case .uuid: "looks like a UUID, as users and devices have them: give the token that the app got from APNs"
        }
    }

    private func fits(_ text: [UInt8]) -> Bool {
        switch self {
        case .base64: Self.isBase64(text)
        case .firebase:
            text.count >= 100 && text.contains(UInt8(ascii: ":"))
                && text.allSatisfy { Self.isLetterOrDigit($0) || ":_-".utf8.contains($0) }
        case .expo: text.starts(with: "ExponentPushToken[".utf8) || text.starts(with: "ExpoPushToken[".utf8)
        case .uuid: text.count == APNSID.textLength && text.withUnsafeBytes { APNSID(utf8: $0) } != nil
        }
    }

    /// With its padding, or 32 bytes without it, in either alphabet. Digits of which a few are wrong have neither.
    private static func isBase64(_ text: [UInt8]) -> Bool {
        let digits = text.prefix { isLetterOrDigit($0) || "+/-_".utf8.contains($0) }
        let padding = text[digits.endIndex...]
        guard padding.allSatisfy({ $0 == UInt8(ascii: "=") }) else { return false }
        if !padding.isEmpty { return padding.count <= 2 && text.count >= 24 && text.count.isMultiple(of: 4) }
        return text.count == 43 && text.count { Hex.value(of: $0) == nil } >= 8
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }
}
