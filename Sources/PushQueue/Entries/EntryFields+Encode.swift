import FoundationEssentials
import PushProtocol
import SupervisedPush

/// An entry as named values, which every store keeps.
package enum EntryFields {
    /// Refuses an entry that could not be read back. Every store asks before it adds anything.
    ///
    /// - Throws: `invalidEntry` if the number of tokens is not in ``QueueEntry/tokenCounts``, if the notification has
    ///   its own provider token, which is not stored, if its timeout is not above 0, or if a time is out of the
    ///   format's range.
    package static func check(_ entry: QueueEntry) throws(QueueError) {
        guard QueueEntry.tokenCounts.contains(entry.tokens.count) else {
            throw QueueError(
                .invalidEntry,
                "An entry has 1 to 1,000 device tokens, not \(entry.tokens.count). Put the others into another entry.")
        }
        guard entry.notification.authorization == nil else {
            throw QueueError(
                .invalidEntry,
                "A notification with its own provider token is not stored: the token is a secret, and valid for an hour. "
                    + "Set authorization to nil.")
        }
        try check(timeout: entry.notification.timeout)
        try check(.notBefore, entry.notBefore?.timeIntervalSince1970)
        try check(.deadline, entry.deadline?.timeIntervalSince1970)
    }

    /// The values of an entry; what is not set has none.
    ///
    /// - Throws: As ``check(_:)`` does, and `invalidEntry` if the header fields cannot be written.
    package static func encode(_ entry: QueueEntry) throws(QueueError) -> [EntryField] {
        try check(entry)
        let notification = entry.notification
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
        add(.timeout, seconds(notification.timeout).map { "\($0)" })
        if !notification.waived.isEmpty {
            let rules = PushRules.names.filter { notification.waived.contains($0.rule) }
            add(.waived, rules.map(\.name).joined(separator: " "))
        }
        if !notification.headers.isEmpty { add(.headers, try json(notification.headers)) }
        add(.notBefore, entry.notBefore.map { "\($0.timeIntervalSince1970)" })
        add(.deadline, entry.deadline.map { "\($0.timeIntervalSince1970)" })
        if entry.neverRepeats { add(.once, "1") }
        add(.campaign, entry.campaign?.description)
        if entry.isUrgent { add(.urgent, "1") }
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

    private static func seconds(_ time: Duration?) -> Double? { time.map { $0 / .seconds(1) } }

    /// A push without time would end before it is sent, in every worker.
    private static func check(timeout: Duration?) throws(QueueError) {
        guard let timeout, timeout <= .zero else { return try check(.timeout, seconds(timeout)) }
        throw QueueError(
            .invalidEntry,
            "The entry has a timeout of \(timeout / .seconds(1)) seconds. Give more than 0, or nil for the "
                + "connection's own.")
    }

    /// Refuses what ``decode(_:fallback:)`` would refuse: an infinity, what is not a number, and what is 31,000 years
    /// away.
    private static func check(_ name: EntryField.Name, _ seconds: Double?) throws(QueueError) {
        guard let seconds, !areStorable(seconds) else { return }
        throw QueueError(
            .invalidEntry,
            "The entry has a \(name.rawValue) of \(seconds) seconds, which cannot be stored. Give a time within "
                + "31,000 years, or nil.")
    }

    /// Within 31,000 years, so that no calculation with it overflows. What is not a number is not.
    static func areStorable(_ seconds: Double) -> Bool { abs(seconds) < 1e12 }

    private static func json(_ headers: some Encodable) throws(QueueError) -> String {
        do { return String(decoding: try JSONEncoder().encode(headers), as: UTF8.self) } catch {
            throw QueueError(.invalidEntry, "The header fields of the notification cannot be stored: \(error).")
        }
    }
}
