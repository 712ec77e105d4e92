import SupervisedPush

/// The result of one push, for a person or for a script.
struct SendAnswer {
    /// The addressee, and its name in JSON.
    struct Addressee: Sendable {
        let name: String
        let text: String
    }

    let row: OutcomeRow
    private let addressee: Addressee
    /// What it means and what to do, in sentences; nil if the push was accepted.
    private let advice: String?
    private let label: String?
    private let uniqueID: String?

    /// - Parameter doubt: Another possible cause, in a sentence.
    init(_ row: OutcomeRow, _ addressee: Addressee, _ response: PushResponse, doubt: String? = nil) {
        self.row = row
        self.addressee = addressee
        uniqueID = response.uniqueID
        label = response.advice?.rawValue
        let meaning: String? =
            if response.isAccepted {
                nil
            } else if let reason = response.reason, reason.isKnown {
                "\(reason.meaning) \(reason.remedy)"
            } else {
                response.advice?.sentence
            }
        let heldBack = response.retryHeldBack.map { "It was not retried: \($0.sentence)" }
        advice = meaning.map { [$0, heldBack, doubt].compactMap(\.self).joined(separator: " ") }
    }

    init(_ row: OutcomeRow, _ addressee: Addressee, _ error: PushError) {
        self.row = row
        self.addressee = addressee
        uniqueID = nil
        label = nil
        advice = error.description
    }

    var text: String {
        var lines = ["outcome   \(row.outcome.rawValue)"]
        if let status = row.status { lines.append("status    \(status)") }
        if let reason = row.reason { lines.append("reason    \(reason)") }
        if let apnsID = row.apnsID { lines.append("apns-id   \(apnsID)") }
        if let uniqueID { lines.append("unique-id \(uniqueID.onOneLine)") }
        if let timestamp = row.timestamp { lines.append("since     \(UTC.text(timestamp))") }
        if row.certainty != .answered { lines.append("certainty \(row.certainty.rawValue)") }
        if let advice { lines.append("advice    \(advice.onOneLine)") }
        return lines.joined(separator: "\n") + "\n"
    }

    var json: [UInt8] {
        var object = JSONLine()
        object.add(addressee.name, addressee.text)
        object.add("outcome", row.outcome.rawValue)
        object.add("status", row.status)
        object.add("reason", row.reason)
        object.add("apns_id", row.apnsID)
        object.add("unique_id", uniqueID)
        object.add("timestamp", row.timestamp)
        object.add("attempts", row.attempts)
        object.add("certainty", row.certainty.rawValue)
        object.add("advice", label)
        object.add("sentence", advice)
        return object.line
    }
}
