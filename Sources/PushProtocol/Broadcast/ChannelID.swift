/// The id that APNs gave a broadcast channel when it was created: standard base64, and opaque.
///
/// Store it as it is. Its length is not fixed: 24 characters are common, and Apple may choose another. It is not a
/// secret: apps use it to subscribe.
public struct ChannelID: Hashable, Sendable, CustomStringConvertible {
    /// The largest length in bytes, far beyond any known id.
    public static let maxBytes = 256

    /// The id, as it is sent.
    public let text: String

    /// Creates an id from 1 to 256 characters `A`–`Z`, `a`–`z`, `0`–`9`, `+`, `/` and `=`.
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

/// A text is not a valid id of a broadcast channel.
public struct InvalidChannelID: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with the text.
    @nonexhaustive public enum Problem: Hashable, Sendable {
        /// It is empty.
        case empty
        /// It is longer than ``ChannelID/maxBytes``.
        case tooLong(bytes: Int)
        /// The byte at this offset is not in the alphabet of standard base64.
        case notBase64(offset: Int)
    }

    /// What is wrong with the text.
    public let problem: Problem

    init(_ problem: Problem) { self.problem = problem }

    /// A sentence that says what is wrong and what to do.
    public var description: String {
        switch problem {
        case .empty: "the channel id is empty: give the id that APNs returned when the channel was created"
        case .tooLong(let bytes):
            "the channel id has \(bytes) bytes, but the limit is \(ChannelID.maxBytes)"
        case .notBase64(let offset):
            "the channel id has a character at offset \(offset) that is not in standard base64: give the id exactly as "
                + "APNs returned it, with + and / and without percent signs"
        }
    }
}
