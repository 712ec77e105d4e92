/// The name of a campaign in a queue: 1 to 100 letters from A to Z in either case, digits, periods, hyphens and low lines.
public struct CampaignName: Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let description: String

    /// Checks a name.
    ///
    /// - Throws: ``QueueError`` with the code `invalidEntry`.
    public init(_ text: String) throws(QueueError) {
        guard 1...100 ~= text.utf8.count, text.utf8.allSatisfy(Self.isUsable) else {
            throw QueueError(
                .invalidEntry,
                "A campaign's name has 1 to 100 letters from A to Z, digits, periods, hyphens and low lines. Give it "
                    + "another one.")
        }
        description = text
    }

    private static func isUsable(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension CampaignName: Codable {
    /// Reads the text of a name.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the name as a text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
