import PushSimulator
import SupervisedPush

/// What a notification says.
extension RecordedPayload {
    /// The payload; `null` if it is not JSON, or was not kept whole.
    ///
    /// ```swift
    /// #expect(apple.pushes[0].json == ["aps": ["alert": ["title": "Flight A998", "body": "Boarding"]]])
    /// ```
    public var json: JSONValue {
        guard payload.count == bodyCount else { return .null }
        return JSONValue(parsing: payload) ?? .null
    }

    /// The value that the names lead to, from the payload's top; nil where there is none.
    ///
    /// ```swift
    /// #expect(apple.pushes[0]["aps", "badge"] == 3)
    /// ```
    public subscript(names: String...) -> JSONValue? {
        names.reduce(json) { $0?[$1] }
    }

    /// The title of the alert; nil where it has none, or a localized one.
    public var alertTitle: String? { self["aps", "alert", "title"]?.stringValue }

    /// The body of the alert, also where the alert is a text alone; nil where it has none, or a localized one.
    public var alertBody: String? {
        self["aps", "alert", "body"]?.stringValue ?? self["aps", "alert"]?.stringValue
    }
}
