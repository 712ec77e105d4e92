/// Request header fields of your own, in the order in which they are sent: for what Apple adds tomorrow, or what a gateway asks for.
///
/// ```swift
/// notification.headers = ["apns-tomorrow": "1"]              // one push
/// RequestDefaults(topic: "com.example.app", headers: […])    // every push of a connection
/// ```
/// They are checked when the push is: at the call, by ``PushNotification/validate(defaults:requiresTopic:)``, and by `request`, which
/// shows them. A field is refused (``InvalidPush``) if
/// - its name is not a token in lower case (RFC 9110 section 5.6.2, RFC 9113 section 8.2), or is a pseudo-header field;
/// - its value has a control character, or a space at an end;
/// - it concerns the connection (RFC 9113 section 8.2.2), such as `connection` or `te`;
/// - the library sets it: the error names the property to use instead, as ``PushNotification/topic`` for `apns-topic`;
/// - there are more than ``maxCount`` fields, or more than ``maxBytes`` bytes of them.
///
/// An error and a description name fields and never show a value.
public struct RequestHeaders: Hashable, Sendable {
    /// One field.
    public struct Field: Hashable, Sendable {
        /// The name, in lower case.
        public let name: String
        /// The value; it may be empty.
        public let value: String

        /// Takes a field; it is checked when its push is.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The most fields that a push has of its own, those of the connection's defaults included.
    public static let maxCount = 32
    /// The most bytes that their names and values have together.
    public static let maxBytes = 8_192

    /// The fields in the order in which they are sent.
    public private(set) var fields: [Field] = []

    /// No fields.
    public init() {}

    /// Takes fields in their order. A name may occur several times.
    public init(_ fields: some Sequence<(name: String, value: String)>) {
        self.fields = fields.map { Field(name: $0.name, value: $0.value) }
    }

    /// Whether there are none.
    public var isEmpty: Bool { fields.isEmpty }

    /// Adds a field behind the others.
    public mutating func append(name: String, value: String) { fields.append(Field(name: name, value: value)) }

    /// The value of the first field of this name; setting one takes the place of all fields of the name, and nil removes them.
    public subscript(name: String) -> String? {
        get { fields.first { $0.name == name }?.value }
        set {
            let position = fields.firstIndex { $0.name == name } ?? fields.endIndex
            fields.removeAll { $0.name == name }
            if let newValue { fields.insert(Field(name: name, value: newValue), at: position) }
        }
    }

    /// These fields, behind those of the connection whose names are not among them.
    func over(_ defaults: RequestHeaders) -> RequestHeaders {
        if defaults.isEmpty { return self }
        let own = Set(fields.map(\.name))
        var all = RequestHeaders()
        all.fields = defaults.fields.filter { !own.contains($0.name) } + fields
        return all
    }
}

extension RequestHeaders: ExpressibleByDictionaryLiteral {
    /// Takes fields written in the program, in their order.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }
}

extension RequestHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names. A value may be a secret.
    public var description: String { fields.map { InvalidPush.shown($0.name) }.joined(separator: ", ") }

    /// The same as `description`.
    public var debugDescription: String { "RequestHeaders(\(description))" }

    /// Nothing beyond the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RequestHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name.
    public var description: String { InvalidPush.shown(name) }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// Nothing beyond the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
