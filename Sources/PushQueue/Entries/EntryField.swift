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
    }

    package let name: String
    package let value: [UInt8]

    package init(_ name: String, _ value: [UInt8]) {
        self.name = name
        self.value = value
    }

    init(_ name: Name, _ text: String) { self.init(name.rawValue, Array(text.utf8)) }

    var text: String? { String(validating: value, as: UTF8.self) }
}
