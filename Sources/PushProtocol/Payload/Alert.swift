/// What a notification shows: the `alert` of a payload.
///
/// A literal is an alert that has only its body and is written as a text: `APS(alert: "Boarding")`.
public struct Alert: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// The first line.
    public var title: AlertText?
    /// The line below the title.
    public var subtitle: AlertText?
    /// The text itself.
    public var body: AlertText?
    /// The image or storyboard of the app that is shown when it starts from the notification.
    public var launchImage: String?
    /// Safari website pushes: the label of the button, in place of “Show”.
    public var action: String?
    /// Until iOS 11, gone from Apple's key table: the key of the button's label. An empty text is written as `null`, which shows no
    /// button.
    public var actionKey: String?
    /// iOS 12 to 14, gone from Apple's key table: what the summary of a group calls this notification's sender.
    public var summaryArgument: String?
    /// iOS 12 to 14, gone from Apple's key table: how many things this notification stands for in the summary of its group.
    public var summaryArgumentCount: Int?
    /// Written as a text alone, and not as an object, while the body is all there is.
    private(set) var isText = false

    /// Takes the parts. Each may be left out.
    public init(title: AlertText? = nil, subtitle: AlertText? = nil, body: AlertText? = nil, launchImage: String? = nil)
    {
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.launchImage = launchImage
    }

    /// Takes a body alone, which is written as a text: the oldest and the shortest form.
    public init(text: some StringProtocol) {
        body = AlertText(text)
        isText = true
    }

    /// Takes a body alone, which is written as a text.
    public init(stringLiteral value: String) { self.init(text: value) }

    /// The body, if it is all there is and may be written as a text.
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

    /// - Parameter activitySound: the alert is that of a Live Activity, where localized texts are objects and the sound stands
    ///   among them.
    func write(into writer: inout JSONWriter, activitySound: ActivitySound) {
        if activitySound == .notAnActivity, let plainText { return writer.string(plainText) }
        writer.beginObject()
        if activitySound == .notAnActivity {
            Self.write(title, "title", "title-loc-key", "title-loc-args", into: &writer)
            Self.write(subtitle, "subtitle", "subtitle-loc-key", "subtitle-loc-args", into: &writer)
            Self.write(body, "body", "loc-key", "loc-args", into: &writer)
        } else {
            Self.write(title, "title", into: &writer)
            Self.write(subtitle, "subtitle", into: &writer)
            Self.write(body, "body", into: &writer)
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

    /// Whether the alert belongs to a Live Activity, and with which sound.
    enum ActivitySound: Equatable {
        case notAnActivity
        case sound(Sound?)
    }

    private static func write(
        _ text: AlertText?, _ name: StaticString, _ key: StaticString, _ arguments: StaticString,
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

    /// The form of a Live Activity: an object in the place of the text.
    private static func write(_ text: AlertText?, _ name: StaticString, into writer: inout JSONWriter) {
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

extension Alert: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Nothing of the content.
    public var description: String { "Alert(\(estimatedBytes) bytes or so)" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
