import SupervisedPush

/// A payload with placeholders. The rules for payloads are checked once, unless a value can change what they say.
package struct PayloadTemplate: Sendable {
    /// Values that change what the rules look at, if any value does: `content-available`, dates, events.
    private static let trials: [(text: String, scalar: String)] = [
        ("", "0"), ("start", "1"), ("update", "100000000000"), ("end", "true"), ("", "null"),
    ]

    private let template: Template
    /// The notification with empty values.
    let example: PushNotification
    /// Whether the example's facts hold for all records, so that none of them is read again as JSON.
    private let isAlike: Bool

    /// - Parameter notification: Makes the notification of a payload.
    init(_ template: Template, _ notification: ([UInt8]) throws -> PushNotification) throws {
        self.template = template
        let examples = try Self.trials.map { trial in
            try notification(template.filled(text: Array(trial.text.utf8), scalar: Array(trial.scalar.utf8)))
        }
        example = examples[0]
        isAlike = examples.allSatisfy { $0.payload.facts == examples[0].payload.facts }
    }

    /// The notification of a record.
    func notification(_ values: [[UInt8]?]) throws -> PushNotification {
        let json = try template.filled(values)
        var notification = example
        notification.payload = isAlike ? Payload(json, like: example.payload) : try Payload(json: json)
        return notification
    }
}

extension Template {
    /// The text with one value for all placeholders in strings, and one for all others.
    fileprivate func filled(text: [UInt8], scalar: [UInt8]) throws(Unfilled) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in parts {
            switch part {
            case .text(let text): bytes.append(contentsOf: text)
            case .value(_, .scalar): bytes.append(contentsOf: scalar)
            case .value: bytes.append(contentsOf: text)
            }
        }
        return bytes
    }
}
