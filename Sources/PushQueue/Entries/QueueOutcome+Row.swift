import FoundationEssentials
import PushProtocol
import SupervisedPush

/// An outcome as a line of JSON, which every store keeps.
extension QueueOutcome {
    /// The line, without a line feed.
    package var row: [UInt8] {
        var bytes: [UInt8] = []
        appendRow(to: &bytes)
        return bytes
    }

    /// Appends the line, without a line feed.
    package func appendRow(to bytes: inout [UInt8]) {
        if !OutcomeRowWriter.append(self, to: &bytes) { bytes += escapedRow }
    }

    /// The same, where a reason must be escaped.
    private var escapedRow: [UInt8] {
        var writer = JSONWriter(capacity: 256 + token.hex.utf8.count)
        writer.beginObject()
        writer.member("id", entry.description)
        writer.member("index", index)
        writer.member("token", token.hex)
        writer.member("outcome", outcome.kind.rawValue)
        writer.member("status", outcome.status)
        writer.member("reason", outcome.reason)
        writer.member("apns_id", outcome.apnsID?.description)
        writer.member("timestamp", (outcome.timestamp?.unixSeconds).map(Int.init))
        writer.member("attempts", outcome.attempts)
        writer.member("certainty", outcome.certainty.rawValue)
        writer.member("invalidated_at", (outcome.invalidatedAt?.unixSeconds).map(Int.init))
        writer.member("ended_at", seconds: outcome.endedAt?.unixMilliseconds)
        writer.member("campaign", campaign?.description)
        writer.endObject()
        return writer.bytes
    }

    /// Reads a line.
    ///
    /// - Throws: `invalidEntry` if it is not the row of an outcome.
    package init(row: [UInt8]) throws(QueueError) {
        if let outcome = OutcomeRowScanner.outcome(row) {
            self = outcome
            return
        }
        do { self = try JSONDecoder().decode(QueueOutcome.self, from: Data(row)) } catch {
            throw QueueError(.invalidEntry, "An outcome is stored that cannot be read.")
        }
    }
}

/// A JSON object: that of the outcome, with `id`, `index`, `token` and `campaign`. It is what `pushctl queue outcomes --json` prints.
extension QueueOutcome: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, index, token, campaign
    }

    /// Writes the object.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(entry, forKey: .id)
        try values.encode(index, forKey: .index)
        try values.encode(token, forKey: .token)
        try outcome.encode(to: encoder)
        try values.encodeIfPresent(campaign, forKey: .campaign)
    }

    /// Reads the object.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            entry: try values.decode(EntryID.self, forKey: .id), index: try values.decode(Int.self, forKey: .index),
            token: try values.decode(DeviceToken.self, forKey: .token),
            campaign: try values.decodeIfPresent(CampaignName.self, forKey: .campaign), try PushOutcome(from: decoder))
    }
}

extension EntryID: Codable {
    /// Writes its 32 digits.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(description)
    }

    /// Reads 32 hexadecimal digits.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let id = EntryID(try value.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: value, debugDescription: "The id of an entry has 32 hexadecimal digits.")
        }
        self = id
    }
}
