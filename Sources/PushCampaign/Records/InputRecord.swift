/// One push as the input describes it, or what is wrong with the description. In both cases it gets one outcome row.
package struct InputRecord: Equatable, Sendable {
    /// The physical line where the record begins, from 1.
    package var line: Int
    /// The text from the input, even if it is not a token; empty if none could be read.
    package var token = ""
    package var topic: String?
    package var collapseID: String?
    package var apnsID: String?
    package var pushType: String?
    package var expiration: Int64?
    package var priority: Int?
    /// The bytes of a JSON object, as in the input.
    package var payload: [UInt8]?
    /// The values that placeholders name, in the order of the names; nil for one that the record lacks.
    package var values: [[UInt8]?] = []
    /// A sentence for a person, if the record can't be pushed.
    package var problem: String?

    package init(line: Int) {
        self.line = line
    }

    package init(line: Int, token: String = "", problem: String) {
        self.line = line
        self.token = token
        self.problem = problem
    }

    /// Sets a field that is a text.
    mutating func set(_ field: RecordField, text: String) {
        switch field {
        case .token: token = text
        case .topic: topic = text
        case .collapseID: collapseID = text
        case .apnsID: apnsID = text
        case .pushType: pushType = text
        case .expiration, .priority, .payload: break
        }
    }
}

/// The names a CSV column or an NDJSON member may have.
package enum RecordField: String, CaseIterable, Sendable {
    case token
    case topic
    case collapseID = "collapse_id"
    case apnsID = "apns_id"
    case expiration
    case priority
    case pushType = "push_type"
    case payload
}
