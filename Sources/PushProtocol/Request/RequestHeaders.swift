/// Your own request header fields, in the order in which they are sent: for fields that Apple adds later, or that a
/// gateway needs.
///
/// ```swift
/// notification.headers = ["apns-tomorrow": "1"]              // one push
/// RequestDefaults(topic: "com.example.app", headers: […])    // every push of a connection
/// ```
/// They are checked together with the push: at the call, by ``PushNotification/validate(defaults:requiresTopic:)``, and
/// by `request`, which shows them. A field is rejected (``InvalidPush``) if
/// - its name is not a lower-case token (RFC 9110, section 5.6.2; RFC 9113, section 8.2), or is a pseudo-header field;
/// - its value contains a control character, or starts or ends with a space;
/// - it belongs to the connection (RFC 9113, section 8.2.2), such as `connection` or `te`;
/// - the library sets it: the error says which property to use instead, such as ``PushNotification/topic`` for
///   `apns-topic`;
/// - there are more than ``maxCount`` fields, or they have more than ``maxBytes`` bytes.
///
/// Errors and descriptions show the names of fields, but never a value.
public struct RequestHeaders: Hashable, Sendable {
    /// One field.
    public struct Field: Hashable, Sendable, Codable {
        /// The name, in lower case.
        public let name: String
        /// The value, which may be empty.
        public let value: String

        /// Creates a field. It is checked together with its push.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The maximum number of a push's own fields, including those of the connection's defaults.
    public static let maxCount = 32
    /// The maximum size of all names and values together, in bytes.
    public static let maxBytes = 8_192

    /// The fields in the order in which they are sent.
    public private(set) var fields: [Field] = []

    /// Creates an empty list.
    public init() {}

    /// Creates a list of fields in this order. Names may repeat.
    public init(_ fields: some Sequence<(name: String, value: String)>) {
        self.fields = fields.map { Field(name: $0.name, value: $0.value) }
    }

    /// Whether there are no fields.
    public var isEmpty: Bool { fields.isEmpty }

    /// Appends a field.
    public mutating func append(name: String, value: String) { fields.append(Field(name: name, value: value)) }

    /// The value of the first field with this name. Setting it replaces all fields with the name; nil removes them.
    public subscript(name: String) -> String? {
        get { fields.first { $0.name == name }?.value }
        set {
            let position = fields.firstIndex { $0.name == name } ?? fields.endIndex
            fields.removeAll { $0.name == name }
            if let newValue { fields.insert(Field(name: name, value: newValue), at: position) }
        }
    }

    /// The connection's default fields whose names are not in this list, followed by this list.
    func over(_ defaults: RequestHeaders) -> RequestHeaders {
        if defaults.isEmpty { return self }
        let own = Set(fields.map(\.name))
        var all = RequestHeaders()
        all.fields = defaults.fields.filter { !own.contains($0.name) } + fields
        return all
    }
}

extension RequestHeaders: ExpressibleByDictionaryLiteral {
    /// Creates a list from a literal, in its order.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }
}

extension RequestHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names only, because a value may be secret.
    public var description: String { fields.map { InvalidPush.shown($0.name) }.joined(separator: ", ") }

    /// Same as `description`.
    public var debugDescription: String { "RequestHeaders(\(description))" }

    /// Contains nothing beyond the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RequestHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name.
    public var description: String { InvalidPush.shown(name) }

    /// Same as `description`.
    public var debugDescription: String { description }

    /// Contains nothing beyond the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
