/// One named value of a stored entry. The names are those of `pushctl bulk`'s records, so that a producer in any language
/// writes both alike.
package struct EntryField: Hashable, Sendable {
    package enum Name: String, Sendable, CaseIterable {
        case id
        /// Device tokens in hexadecimal digits, separated by spaces.
        case tokens
        /// The JSON.
        case payload
        case topic
        case pushType = "push_type"
        case priority
        /// UNIX seconds, 0, or `by_server`.
        case expiration
        case collapseID = "collapse_id"
        /// How long each push may take, in seconds.
        case timeout
        /// Names of rules of ``PushRules`` that are not checked, separated by spaces.
        case waived
        /// Header fields beyond APNs' own: JSON as ``RequestHeaders`` is encoded.
        case headers
        /// UNIX seconds, with a fraction.
        case notBefore = "not_before"
        /// UNIX seconds, with a fraction.
        case deadline
        /// `1` if a push that may have been sent is not pushed again.
        case once
        /// The name of its campaign.
        case campaign
        /// `1` if it is taken before others.
        case urgent

        /// A bit of its own, for a set of names that costs nothing: a `Set` would hash their texts.
        var bit: UInt32 {
            switch self {
            case .id: 1
            case .tokens: 1 << 1
            case .payload: 1 << 2
            case .topic: 1 << 3
            case .pushType: 1 << 4
            case .priority: 1 << 5
            case .expiration: 1 << 6
            case .collapseID: 1 << 7
            case .timeout: 1 << 8
            case .waived: 1 << 9
            case .headers: 1 << 10
            case .notBefore: 1 << 11
            case .deadline: 1 << 12
            case .once: 1 << 13
            case .campaign: 1 << 14
            case .urgent: 1 << 15
            }
        }
    }

    package let name: String
    package let value: [UInt8]

    package init(_ name: String, _ value: [UInt8]) {
        self.name = name
        self.value = value
    }

    init(_ name: Name, _ text: String) { self.init(name.rawValue, Array(text.utf8)) }

    var text: String? { String(validating: value, as: UTF8.self) }

    /// Values by their names, for a person: what is not UTF-8 is replaced.
    package static func texts(_ fields: [EntryField]) -> [String: String] {
        Dictionary(fields.map { ($0.name, String(decoding: $0.value, as: UTF8.self)) }) { first, _ in first }
    }
}
