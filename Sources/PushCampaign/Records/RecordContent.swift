import PushProtocol
import PushReview
import PushTerminal
import SupervisedPush

/// What records get that have none of their own: a payload, and header fields. Payload and collapse id may have
/// placeholders for the values of a record.
package struct RecordContent: Sendable {
    /// The payload of all records.
    package enum Payload: Sendable {
        case same(PushNotification)
        case filled(PayloadTemplate)
    }

    /// A payload as it was given.
    package struct Given: Sendable {
        let json: [UInt8]
        /// For errors.
        let name: String
        /// The notification without its payload.
        let base: PushNotification
        /// Whether records with a payload of their own have its headers, too.
        let isForAll: Bool

        /// - Parameters:
        ///   - name: What errors call it: a file's name, or `the alert`.
        ///   - pushType: Its type, if it also says one.
        ///   - isForAll: Whether that is also the type of records with a payload of their own.
        package init(json: [UInt8], name: String, pushType: PushType? = nil, isForAll: Bool = false) {
            (self.json, self.name, self.isForAll) = (json, name, isForAll)
            base = PushNotification(payload: PushProtocol.Payload(unchecked: []), pushType: pushType)
        }

        /// A notification whose payload and collapse id may have placeholders within their texts.
        init(_ notification: PushNotification) {
            (json, name, isForAll) = (notification.payload.bytes, "the payload", true)
            var base = notification
            (base.apnsID, base.collapseID) = (nil, nil)
            self.base = base
        }

        fileprivate func notification(_ json: [UInt8]) throws -> PushNotification {
            var notification = base
            notification.payload = try PushProtocol.Payload(json: json)
            return notification
        }
    }

    /// The headers that records without them get.
    package struct Headers: Sendable {
        /// With placeholders. One without may be a default of the connection.
        package var collapseID: String?
        /// What errors call it.
        package var nameOfCollapseID = "the collapse id"
        /// The type of records' own payloads, for their review.
        package var pushType: String?
        /// How long APNs keeps a push, in seconds from when its record is read.
        package var timeToLive: Int64?
        package var waived: PushRules = []

        package init() {}

        /// The longest allowed collapse id, in bytes.
        var maxCollapseIDBytes: Int { waived.contains(.collapseID) ? 512 : CollapseID.maxBytes }
    }

    package let payload: Payload?
    /// The headers of records with a payload of their own; nil for none.
    private let base: PushNotification?
    let collapseID: Template?
    let headers: Headers
    /// The names of all placeholders.
    package let names: [String]
    /// What a device would not understand of the payload.
    package let findings: [String]
    /// The payload of all records, and what errors call it.
    private let shape: (json: [UInt8], name: String)?

    /// - Parameter given: Nil if each record has a payload of its own.
    package init(_ given: Given?, headers: Headers = Headers()) throws(CommandError) {
        var names: [String] = []
        (payload, names, findings, shape) =
            try given.map { (given) throws(CommandError) in
                let (payload, names, shape) = try Self.payload(given)
                let findings = PayloadReview.findings(in: shape, type: headers.pushType)
                return (payload, names, findings, (shape, given.name))
            } ?? (nil, [], [], nil)
        collapseID = try headers.collapseID.map { (text) throws(CommandError) in
            do throws(TemplateParser.Malformed) { return try TemplateParser.plain(text, names) } catch {
                throw .usage("\(headers.nameOfCollapseID) \(error.sentence).")
            }
        }
        self.names = collapseID?.names ?? names
        self.headers = headers
        base = given.flatMap { $0.isForAll ? $0.base : nil }
    }

    /// The notification of a record with a payload of its own.
    func notification(of payload: [UInt8]) throws -> PushNotification {
        guard var notification = base else { return try .raw(payload) }
        notification.payload = try PushProtocol.Payload(json: payload)
        return notification
    }

    /// The notification that the payload makes, as an example: with empty values.
    package var example: PushNotification? {
        switch payload {
        case .same(let notification): notification
        case .filled(let template): template.example
        case nil: nil
        }
    }

    /// Refuses a payload of all records that lacks `aps`, unless its type needs none or the rule is waived: it may be
    /// another file, with what no device should get.
    ///
    /// - Parameter defaults: Those of the connection.
    package func requireAPS(_ defaults: RequestDefaults) throws(CommandError) {
        guard let shape, !headers.waived.union(defaults.waived).contains(.content),
            let problem = PayloadReview.problemWithoutAPS(
                shape.json, type: headers.pushType ?? defaults.pushType?.rawValue)
        else { return }
        throw .usage(
            "\(shape.name): the payload: \(problem). Is it the right file? If so, waive the rule content "
                + "(--waive content).")
    }

    private static func payload(
        _ given: Given
    ) throws(CommandError) -> (Payload, names: [String], shape: [UInt8]) {
        let parsed: (template: Template, shape: [UInt8])
        do throws(TemplateParser.Malformed) { parsed = try TemplateParser.json(given.json, []) } catch {
            throw .usage("\(given.name): the payload \(error.sentence).")
        }
        if let problem = JSONScanner.problem(inObject: parsed.shape) {
            throw .input("\(given.name): the payload \(problem)")
        }
        do {
            guard parsed.template.hasPlaceholders else {
                return (.same(try given.notification(parsed.template.filled([]))), [], parsed.shape)
            }
            let template = try PayloadTemplate(parsed.template) { json in try given.notification(json) }
            return (.filled(template), parsed.template.names, parsed.shape)
        } catch {
            throw .input("\(given.name): \(error)")
        }
    }
}

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
