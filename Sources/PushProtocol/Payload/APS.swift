/// The `aps` object of a payload, with every key that Apple documents.
///
/// Values that are nil or false are left out. Your own values are placed beside `aps`, never in it: pass them to
/// ``Payload``.
///
/// A string literal is an alert with only a text: `PushNotification.alert("Boarding")`.
public struct APS: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// The alert to show.
    public var alert: Alert?
    /// The number on the app's icon. 0 removes it; nil keeps it.
    public var badge: Int?
    /// The sound to play.
    public var sound: Sound?
    /// Groups notifications with the same id.
    public var threadID: String?
    /// The id of a notification category that the app registered. It determines the buttons.
    public var category: String?
    /// Wakes the app in the background: `content-available` 1.
    public var contentAvailable = false
    /// Runs the app's notification service extension before the notification is shown: `mutable-content` 1.
    public var mutableContent = false
    /// The window to bring forward.
    public var targetContentID: String?
    /// How much the notification may interrupt.
    public var interruptionLevel: InterruptionLevel?
    /// The order in the summary, from 0 to 1. For a Live Activity any number: the Dynamic Island shows the highest.
    public var relevanceScore: Double?
    /// The value by which the app's Focus filter decides whether to show it.
    public var filterCriteria: String?
    /// Reloads widgets and controls: `content-changed` true.
    public var contentChanged = false
    /// For Safari website pushes: the values for the placeholders in the site's URL. Required, but may be empty.
    public var urlArguments: [String]?
    /// What happens to a Live Activity.
    public var liveActivity: LiveActivity? {
        get { if case .activity(let activity)? = boxed { activity } else { nil } }
        set { boxed = newValue.map { .activity($0) } }
    }

    /// Stored behind a reference: it is by far the largest part, and most payloads have none.
    private indirect enum Boxed: Hashable, Sendable { case activity(LiveActivity) }
    private var boxed: Boxed?
    /// Without a copy of it.
    var isActivity: Bool { if case .some = boxed { true } else { false } }

    /// The first value that APNs or the device would not accept.
    var problem: InvalidPush? {
        if let problem = sound?.problem { return problem }
        guard let relevanceScore else { return nil }
        let isInRange = isActivity ? relevanceScore.isFinite : (0...1).contains(relevanceScore)
        return isInRange ? nil : InvalidPush(.relevanceOutOfRange)
    }

    /// Large enough for text without escapes, so that usually one allocation is enough.
    var estimatedBytes: Int {
        func size(_ text: String?) -> Int { text.map { $0.utf8.count + 24 } ?? 0 }
        return 64 + (alert?.estimatedBytes ?? 0) + (sound == nil ? 0 : 48) + size(category) + size(threadID)
            + size(targetContentID) + size(filterCriteria) + (isActivity ? liveActivity?.estimatedBytes ?? 0 : 0)
            + (urlArguments?.reduce(16) { $0 + $1.utf8.count + 3 } ?? 0)
    }

    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        if let alert {
            writer.name("alert")
            alert.write(into: &writer, activitySound: isActivity ? .sound(sound) : .notAnActivity)
        }
        writer.member("badge", badge)
        // The sound of a Live Activity is inside its alert, so without an alert there is no sound.
        if let sound, !isActivity {
            writer.name("sound")
            sound.write(into: &writer)
        }
        writer.member("category", category)
        writer.member("thread-id", threadID)
        writer.member("target-content-id", targetContentID)
        writer.member("content-available", contentAvailable ? 1 : nil)
        writer.member("mutable-content", mutableContent ? 1 : nil)
        writer.member("interruption-level", interruptionLevel?.rawValue)
        if let relevanceScore {
            writer.name("relevance-score")
            writer.value(.double(relevanceScore))
        }
        writer.member("filter-criteria", filterCriteria)
        if contentChanged {
            writer.name("content-changed")
            writer.value(true)
        }
        if let urlArguments { writer.member("url-args", urlArguments) }
        if isActivity { liveActivity?.write(into: &writer) }
        writer.endObject()
    }
}

extension APS {
    /// Creates an `aps` object with the most common keys. Set the others afterwards.
    public init(
        alert: Alert? = nil, badge: Int? = nil, sound: Sound? = nil, threadID: String? = nil, category: String? = nil
    ) {
        self.alert = alert
        self.badge = badge
        self.sound = sound
        self.threadID = threadID
        self.category = category
    }

    /// Creates an `aps` object with the text of an alert.
    public init(stringLiteral value: String) { self.init(alert: Alert(text: value)) }

    /// The parts of the short initializers of a payload.
    ///
    /// Not an initializer with statements, which would return a copy of what it made, with a retain for each string.
    static func parts(
        title: String?, subtitle: String?, body: String?, badge: Int?, sound: String?, category: String?,
        threadID: String?, targetContentID: String?, contentAvailable: Bool, mutableContent: Bool,
        interruptionLevel: InterruptionLevel?
    ) -> APS {
        let hasAlert = title != nil || subtitle != nil || body != nil
        let sound: Sound? = if let sound { Sound(sound) } else { nil }
        return APS(
            alert: hasAlert ? Alert.texts(title: title, subtitle: subtitle, body: body) : nil, badge: badge,
            sound: sound, threadID: threadID,
            category: category, contentAvailable: contentAvailable, mutableContent: mutableContent,
            targetContentID: targetContentID, interruptionLevel: interruptionLevel, boxed: nil)
    }
}

extension APS: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Contains no content.
    public var description: String { "APS(\(estimatedBytes) bytes or so)" }

    /// Same as `description`.
    public var debugDescription: String { description }

    /// Contains nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// How much a notification may interrupt: the key `interruption-level`, iOS 15 and later.
///
/// Use `InterruptionLevel(rawValue: "…")` for a level that Apple adds later.
public struct InterruptionLevel: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The value of the key.
    public let rawValue: String

    /// Creates a level from its value.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Added to the notification list without light or sound.
    public static let passive = InterruptionLevel(rawValue: "passive")
    /// Lights the screen and may play a sound. APNs assumes this level without the key.
    public static let active = InterruptionLevel(rawValue: "active")
    /// Breaks through a Focus and the summary. The app needs a capability.
    public static let timeSensitive = InterruptionLevel(rawValue: "time-sensitive")
    /// Also breaks through the mute switch. The app needs Apple's entitlement. Combine it with
    /// ``Sound/critical(_:volume:isCritical:)``.
    public static let critical = InterruptionLevel(rawValue: "critical")

    /// The value of the key.
    public var description: String { rawValue }
}

/// The sound of a notification.
///
/// A string literal is the name of a file: `APS(alert: "Boarding", sound: "gong.aiff")`.
public struct Sound: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    private enum Form: Hashable, Sendable {
        case named(String)
        case critical(name: String, volume: Double, isCritical: Bool)
    }

    private let form: Form

    private init(_ form: Form) { self.form = form }

    /// Creates a sound from the name of a sound file in the app, or `default`.
    public init(_ name: some StringProtocol) { self.init(.named(String(name))) }

    /// Creates a sound from the name of a sound file.
    public init(stringLiteral value: String) { self.init(.named(value)) }

    /// The system's sound.
    public static let `default` = Sound("default")

    /// A critical alert: plays even if the device is muted or a Focus is on. The app needs Apple's entitlement.
    ///
    /// - Parameters:
    ///   - name: A sound file of the app, or `default`.
    ///   - volume: From 0.0 (silent) to 1.0 (full); other values are an error when the payload is made. Default 1.0.
    ///   - isCritical: False writes the object with `critical` 0: an ordinary sound with that volume.
    public static func critical(_ name: String = "default", volume: Double = 1, isCritical: Bool = true) -> Sound {
        Sound(.critical(name: name, volume: volume, isCritical: isCritical))
    }

    var problem: InvalidPush? {
        guard case .critical(_, let volume, _) = form, !(0...1).contains(volume) else { return nil }
        return InvalidPush(.volumeOutOfRange)
    }

    func write(into writer: inout JSONWriter) {
        switch form {
        case .named(let name): writer.string(name)
        case .critical(let name, let volume, let isCritical):
            writer.beginObject()
            writer.member("critical", isCritical ? 1 : 0)
            writer.member("name", name)
            writer.name("volume")
            writer.value(.double(volume))
            writer.endObject()
        }
    }
}

extension Sound: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Contains no content.
    public var description: String { "Sound" }

    /// Same as `description`.
    public var debugDescription: String { description }

    /// Contains nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
