/// The text of a notification: the `alert` of a payload.
///
/// A string literal is an alert with only a body, written as a string: `APS(alert: "Boarding")`.
public struct Alert: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// The first line.
    public var title: AlertText?
    /// The line below the title.
    public var subtitle: AlertText?
    /// The text.
    public var body: AlertText?
    /// The image or storyboard of the app to show when the notification launches it.
    public var launchImage: String?
    /// For Safari website pushes: the label of the button, instead of “Show”.
    public var action: String?
    /// Until iOS 11, no longer in Apple's table of keys: the localization key of the button's label. An empty string is
    /// written as `null`, which shows no button.
    public var actionKey: String?
    /// iOS 12 to 14, no longer in Apple's table of keys: the sender of this notification in the summary of a group.
    public var summaryArgument: String?
    /// iOS 12 to 14, no longer in Apple's table of keys: how many items this notification adds to the summary of its
    /// group.
    public var summaryArgumentCount: Int?
    /// Whether to write a string instead of an object if only the body is set.
    private(set) var isText = false

    /// The body, if it is the only part and may be written as a string.
    private var plainText: String? {
        guard isText, case .plain(let text) = body?.form, self == Alert(text: text) else { return nil }
        return text
    }

    var estimatedBytes: Int {
        func size(_ text: AlertText?) -> Int {
            switch text?.form {
            case .plain(let text): text.utf8.count + 16
            case .localized(let key, let arguments): arguments.reduce(key.utf8.count + 48) { $0 + $1.utf8.count + 4 }
            case nil: 0
            }
        }
        return 24 + size(title) + size(subtitle) + size(body)
    }

    /// - Parameter activitySound: Whether the alert belongs to a Live Activity, where localized texts are objects and
    ///   the sound is inside the alert.
    func write(into writer: inout JSONWriter, activitySound: ActivitySound) {
        if activitySound == .notAnActivity, let plainText { return writer.string(plainText) }
        writer.beginObject()
        if activitySound == .notAnActivity {
            Self.write(title, as: "title", key: "title-loc-key", arguments: "title-loc-args", into: &writer)
            Self.write(subtitle, as: "subtitle", key: "subtitle-loc-key", arguments: "subtitle-loc-args", into: &writer)
            Self.write(body, as: "body", key: "loc-key", arguments: "loc-args", into: &writer)
        } else {
            Self.write(title, as: "title", into: &writer)
            Self.write(subtitle, as: "subtitle", into: &writer)
            Self.write(body, as: "body", into: &writer)
        }
        writer.member("launch-image", launchImage)
        writer.member("action", action)
        if let actionKey {
            writer.name("action-loc-key")
            if actionKey.isEmpty { writer.value(.null) } else { writer.string(actionKey) }
        }
        writer.member("summary-arg", summaryArgument)
        writer.member("summary-arg-count", summaryArgumentCount)
        if case .sound(let sound?) = activitySound {
            writer.name("sound")
            sound.write(into: &writer)
        }
        writer.endObject()
    }

    /// Whether the alert belongs to a Live Activity, and if so with which sound.
    enum ActivitySound: Equatable {
        case notAnActivity
        case sound(Sound?)
    }

    private static func write(
        _ text: AlertText?, as name: StaticString, key: StaticString, arguments: StaticString,
        into writer: inout JSONWriter
    ) {
        switch text?.form {
        case nil: return
        case .plain(let text): writer.member(name, text)
        case .localized(let localizedKey, let values):
            writer.member(key, localizedKey)
            if !values.isEmpty { writer.member(arguments, values) }
        }
    }

    /// The form for a Live Activity: an object instead of a string.
    private static func write(_ text: AlertText?, as name: StaticString, into writer: inout JSONWriter) {
        switch text?.form {
        case nil: return
        case .plain(let text): writer.member(name, text)
        case .localized(let key, let values):
            writer.name(name)
            writer.beginObject()
            writer.member("loc-key", key)
            if !values.isEmpty { writer.member("loc-args", values) }
            writer.endObject()
        }
    }
}

extension Alert {
    /// Creates an alert. All parts are optional.
    public init(title: AlertText? = nil, subtitle: AlertText? = nil, body: AlertText? = nil, launchImage: String? = nil)
    {
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.launchImage = launchImage
    }

    /// Creates an alert from texts that are shown as they are. All parts are optional.
    @_disfavoredOverload
    public init(title: String? = nil, subtitle: String? = nil, body: String? = nil, launchImage: String? = nil) {
        self.title = AlertText(optional: title)
        self.subtitle = AlertText(optional: subtitle)
        self.body = AlertText(optional: body)
        self.launchImage = launchImage
    }

    /// Creates an alert with only a body, which is written as a string: the oldest and shortest form.
    public init(text: some StringProtocol) {
        body = AlertText(text)
        isText = true
    }

    /// Creates an alert with only a body, which is written as a string.
    public init(stringLiteral value: String) { self.init(text: value) }

    /// Texts that are shown as they are.
    static func texts(title: String?, subtitle: String?, body: String?) -> Alert {
        Alert(
            title: AlertText(optional: title), subtitle: AlertText(optional: subtitle),
            body: AlertText(optional: body), isText: false)
    }
}

extension Alert: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Contains no content.
    public var description: String { "Alert(\(estimatedBytes) bytes or so)" }

    /// Same as `description`.
    public var debugDescription: String { description }

    /// Contains nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// One line of an alert: a text, or a key that the app localizes.
///
/// A string literal is a text: `Alert(title: "Flight A998", body: .localized("BOARDING_%@", "A12"))`.
public struct AlertText: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    enum Form: Hashable, Sendable {
        case plain(String)
        case localized(key: String, arguments: [String])
    }

    let form: Form

    private init(_ form: Form) { self.form = form }

    /// Creates a text to show as it is.
    public init(_ text: some StringProtocol) { self.init(.plain(String(text))) }

    /// Nil for nil.
    init?(optional text: String?) {
        guard let text else { return nil }
        self.init(.plain(text))
    }

    /// Creates a text from a literal.
    public init(stringLiteral value: String) { self.init(.plain(value)) }

    /// A key of the app's `Localizable.strings`, and the values for the placeholders `%@` and `%n$@` of its text, in
    /// order.
    public static func localized(_ key: String, _ arguments: String...) -> AlertText {
        localized(key, arguments: arguments)
    }

    /// A key of the app's `Localizable.strings`, and the values for the placeholders `%@` and `%n$@` of its text, in
    /// order.
    public static func localized(_ key: String, arguments: [String]) -> AlertText {
        AlertText(.localized(key: key, arguments: arguments))
    }
}

extension AlertText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows the form, but no content.
    public var description: String {
        switch form {
        case .plain(let text): "AlertText(\(text.utf8.count) bytes)"
        case .localized(_, let arguments): "AlertText(localized, \(arguments.count) arguments)"
        }
    }

    /// Same as `description`.
    public var debugDescription: String { description }

    /// Contains nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
