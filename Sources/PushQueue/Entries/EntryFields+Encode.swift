import Foundation
import PushProtocol
import SupervisedPush

/// An entry as named values, which every store keeps.
package enum EntryFields {
    /// The values of an entry; what is not set has none.
    ///
    /// - Throws: `invalidEntry` if the notification has its own provider token, which is not stored, or if a time could not
    ///   be read back.
    package static func encode(_ entry: QueueEntry) throws(QueueError) -> [EntryField] {
        let notification = entry.notification
        guard notification.authorization == nil else {
            throw QueueError(
                .invalidEntry,
                "A notification with its own provider token is not stored: the token is a secret, and valid for an hour. "
                    + "Set authorization to nil.")
        }
        var fields = [
            EntryField(.id, entry.id.description),
            EntryField(EntryField.Name.tokens.rawValue, tokens(entry.tokens)),
            EntryField(EntryField.Name.payload.rawValue, notification.payload.bytes),
        ]
        func add(_ name: EntryField.Name, _ text: String?) {
            if let text { fields.append(EntryField(name, text)) }
        }
        add(.topic, notification.topic?.rawValue)
        add(.pushType, notification.pushType?.rawValue)
        add(.priority, notification.priority.map { "\($0.rawValue)" })
        add(.expiration, notification.expiration.map { $0.unixSeconds.map { "\($0)" } ?? "by_server" })
        add(.collapseID, notification.collapseID?.text)
        add(.timeout, try seconds(.timeout, notification.timeout.map { $0 / .seconds(1) }))
        if !notification.waived.isEmpty {
            let rules = PushRules.names.filter { notification.waived.contains($0.rule) }
            add(.waived, rules.map(\.name).joined(separator: " "))
        }
        if !notification.headers.isEmpty { add(.headers, try json(notification.headers)) }
        add(.notBefore, try seconds(.notBefore, entry.notBefore?.timeIntervalSince1970))
        add(.deadline, try seconds(.deadline, entry.deadline?.timeIntervalSince1970))
        if entry.once { add(.once, "1") }
        return fields
    }

    private static func tokens(_ tokens: [DeviceToken]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(tokens.reduce(0) { $0 + $1.hex.utf8.count + 1 })
        for token in tokens {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: " ")) }
            bytes.append(contentsOf: token.hex.utf8)
        }
        return bytes
    }

    /// Refuses what ``decode(_:fallback:)`` would refuse: an infinity, what is no number, and what is 31,000 years away.
    private static func seconds(_ name: EntryField.Name, _ seconds: Double?) throws(QueueError) -> String? {
        guard let seconds else { return nil }
        guard areStorable(seconds) else {
            throw QueueError(
                .invalidEntry,
                "The entry has a \(name.rawValue) of \(seconds) seconds, which cannot be stored. Give a time within "
                    + "31,000 years, or nil.")
        }
        return "\(seconds)"
    }

    /// Within 31,000 years, so that no calculation with it overflows. What is no number is not.
    static func areStorable(_ seconds: Double) -> Bool { abs(seconds) < 1e12 }

    private static func json(_ headers: some Encodable) throws(QueueError) -> String {
        do { return String(decoding: try JSONEncoder().encode(headers), as: UTF8.self) } catch {
            throw QueueError(.invalidEntry, "The header fields of the notification cannot be stored: \(error).")
        }
    }
}
