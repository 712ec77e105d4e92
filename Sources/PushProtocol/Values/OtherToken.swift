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
