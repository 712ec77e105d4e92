/// The id of a broadcast channel, as APNs gave it when the channel was created: standard base64, and opaque.
///
/// Keep it as it is. Its length is not fixed: 24 characters are common, and Apple may choose another. It is no secret: apps
/// get it to subscribe with.
public struct ChannelID: Hashable, Sendable, CustomStringConvertible {
    /// The largest length, in bytes: far beyond any id seen.
    public static let maxBytes = 256

    /// The id, as it is sent.
    public let text: String

    /// Takes an id of 1 to 256 characters `A`–`Z`, `a`–`z`, `0`–`9`, `+`, `/` and `=`.
    ///
    /// - Throws: ``InvalidChannelID``, which says what is wrong.
    public init(_ text: some StringProtocol) throws(InvalidChannelID) {
        var text = String(text)
        text.makeContiguousUTF8()
        if text.isEmpty { throw InvalidChannelID(.empty) }
        let length = text.utf8.count
        if length > Self.maxBytes { throw InvalidChannelID(.tooLong(bytes: length)) }
        if let offset = text.utf8.firstIndex(where: { !Self.isBase64($0) }) {
            throw InvalidChannelID(.notBase64(offset: text.utf8.distance(from: text.utf8.startIndex, to: offset)))
        }
        self.text = text
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }

    /// The id.
    public var description: String { text }
}
