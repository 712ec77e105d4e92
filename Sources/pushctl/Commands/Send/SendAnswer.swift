import PushCampaign
import PushTerminal
import SupervisedPush

/// The result of one push, for a person or for a script.
struct SendAnswer {
    /// The addressee, and its name in JSON.
    struct Addressee: Sendable {
        let name: String
        let text: String
        /// The header field with the id of such a push.
        var idField = "apns-id"
    }

    let row: OutcomeRow
    private let addressee: Addressee
    /// What it means and what to do, in sentences; nil if the push was accepted.
    private let advice: String?
    private let label: String?
    private let uniqueID: String?

    /// - Parameter doubt: Another possible cause, in a sentence.
    init(_ row: OutcomeRow, to addressee: Addressee, response: PushResponse, doubt: String? = nil) {
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

    /// - Parameter sentence: What happened, if it is not the error's sentence.
    init(_ row: OutcomeRow, to addressee: Addressee, error: PushError, sentence: String? = nil) {
        self.row = row
        self.addressee = addressee
        uniqueID = nil
        label = nil
        advice = sentence ?? error.description
    }

    var text: String { text(.plain) }

    func text(_ style: TerminalStyle) -> String {
        var rows: [(name: String, text: String)] = [("outcome", row.kind.rawValue)]
        if let status = row.status { rows.append(("status", "\(status)")) }
        if let reason = row.reason { rows.append(("reason", reason)) }
        if let apnsID = row.apnsID { rows.append((addressee.idField, "\(apnsID)")) }
        if let uniqueID { rows.append(("unique-id", uniqueID.onOneLine)) }
        if let timestamp = row.timestamp { rows.append(("since", UTC.text(timestamp))) }
        if row.certainty != .answered { rows.append(("certainty", row.certainty.rawValue)) }
        if let advice { rows.append(("advice", advice.onOneLine)) }
        return rows.map { row in
            let padding = String(repeating: " ", count: max(1, 10 - row.name.count))
            return style.row([Span(row.name + padding)], text: row.text) + "\n"
        }.joined()
    }

    var json: [UInt8] {
        var object = JSONLine()
        object.add(addressee.name, addressee.text)
        object.add("outcome", row.kind.rawValue)
        object.add("status", row.status)
        object.add("reason", row.reason)
        object.add(addressee.idField.replacing("-", with: "_"), row.apnsID?.description)
        object.add("unique_id", uniqueID)
        object.add("timestamp", row.timestamp)
        object.add("attempts", row.attempts)
        object.add("certainty", row.certainty.rawValue)
        object.add("advice", label)
        object.add("sentence", advice)
        return object.line
    }
}
