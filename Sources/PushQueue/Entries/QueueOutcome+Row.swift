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
        writer.member("outcome", word.rawValue)
        writer.member("status", status)
        writer.member("reason", reason)
        writer.member("apns_id", apnsID?.description)
        writer.member("timestamp", rowTimestamp)
        writer.member("attempts", attempts)
        writer.member("certainty", certainty.rawValue)
        writer.member("invalidated_at", rowInvalidatedAt)
        writer.endObject()
        return writer.bytes
    }

    /// The timestamp in whole seconds since 1970 UTC.
    var rowTimestamp: Int? { timestamp.map { Int($0.nearestUnixSeconds) } }

    /// Since when the token is not valid, in whole seconds since 1970 UTC.
    var rowInvalidatedAt: Int? { invalidatedAt.map { Int($0.nearestUnixSeconds) } }

    /// Reads a line.
    ///
    /// - Throws: `invalidEntry` if it is not the row of an outcome.
    package init(row: [UInt8]) throws(QueueError) {
        if let outcome = OutcomeRowScanner.outcome(row) {
            self = outcome
            return
        }
        do {
            let read = try JSONDecoder().decode(Row.self, from: Data(row))
            guard let id = EntryID(read.id), let word = Word(rawValue: read.outcome),
                let certainty = Certainty(rawValue: read.certainty)
            else { throw QueueError(.invalidEntry, "An outcome is stored that cannot be read.") }
            self.init(
                entry: id, index: read.index, token: read.token, word, certainty, status: read.status,
                reason: read.reason, apnsID: read.apnsID,
                timestamp: read.timestamp.map { Date(timeIntervalSince1970: TimeInterval($0)) },
                attempts: read.attempts,
                invalidatedAt: read.invalidatedAt.map { Date(timeIntervalSince1970: TimeInterval($0)) })
        } catch {
            throw QueueError(.invalidEntry, "An outcome is stored that cannot be read.")
        }
    }

    private struct Row: Decodable {
        let id: String
        let index: Int
        let token: DeviceToken
        let outcome: String
        let status: Int?
        let reason: String?
        let apnsID: APNSID?
        let timestamp: Int64?
        let attempts: Int
        let certainty: String
        let invalidatedAt: Int64?

        enum CodingKeys: String, CodingKey {
            case id, index, token, outcome, status, reason, timestamp, attempts, certainty
            case apnsID = "apns_id"
            case invalidatedAt = "invalidated_at"
        }
    }
}
