/// The `aps` object of a payload: every key that Apple documents.
///
/// What is nil or false is left out. Values of your own stand beside `aps`, never in it: give them to ``Payload``.
///
/// A literal is an alert that is a text alone: `PushNotification.alert("Boarding")`.
public struct APS: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// What is shown.
    public var alert: Alert?
    /// The number on the app's icon: 0 clears it, nil leaves it alone.
    public var badge: Int?
    /// What is played.
    public var sound: Sound?
    /// Notifications of one id are grouped.
    public var threadID: String?
    /// The id of a notification category that the app registered: its buttons.
    public var category: String?
    /// Wakes the app in the background: `content-available` 1.
    public var contentAvailable = false
    /// Runs the app's notification service extension before anything is shown: `mutable-content` 1.
    public var mutableContent = false
    /// The window that is brought forward.
    public var targetContentID: String?
    /// How much it may disturb.
    public var interruptionLevel: InterruptionLevel?
    /// What comes first in the summary, from 0 to 1; for a Live Activity any number, the highest is shown in the Dynamic Island.
    public var relevanceScore: Double?
    /// What the app's Focus filter decides by whether it is shown.
    public var filterCriteria: String?
    /// Widgets and controls reload: `content-changed` true.
    public var contentChanged = false
    /// Safari website pushes: what fills the places of the site's URL, one text each; may be empty, and must be there.
    public var urlArguments: [String]?
    /// What happens to a Live Activity.
    public var liveActivity: LiveActivity? {
        get { if case .activity(let activity)? = boxed { activity } else { nil } }
        set { boxed = newValue.map { .activity($0) } }
    }

    /// Behind a reference: it is the largest part by far, and most payloads have none.
    private indirect enum Boxed: Hashable, Sendable { case activity(LiveActivity) }
    private var boxed: Boxed?

    /// Takes what most notifications have; the rest is set afterwards.
    public init(
        alert: Alert? = nil, badge: Int? = nil, sound: Sound? = nil, threadID: String? = nil, category: String? = nil
    ) {
        self.alert = alert
        self.badge = badge
        self.sound = sound
        self.threadID = threadID
        self.category = category
    }

    /// Takes the text of an alert.
    public init(stringLiteral value: String) { self.init(alert: Alert(text: value)) }

    /// What APNs or the device would not understand.
    var problem: InvalidPush? {
        if let problem = sound?.problem { return problem }
        guard let relevanceScore else { return nil }
        let isInRange = liveActivity == nil ? (0...1).contains(relevanceScore) : relevanceScore.isFinite
        return isInRange ? nil : InvalidPush(.relevanceOutOfRange)
    }

    /// Enough for text without escapes, so that usually the bytes are allocated once.
    var estimatedBytes: Int {
        func size(_ text: String?) -> Int { text.map { $0.utf8.count + 24 } ?? 0 }
        return 64 + (alert?.estimatedBytes ?? 0) + (sound == nil ? 0 : 48) + size(category) + size(threadID)
            + size(targetContentID) + size(filterCriteria) + (liveActivity?.estimatedBytes ?? 0)
            + (urlArguments?.reduce(16) { $0 + $1.utf8.count + 3 } ?? 0)
    }

    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        if let alert {
            writer.name("alert")
            alert.write(into: &writer, activitySound: liveActivity == nil ? .notAnActivity : .sound(sound))
        }
        writer.member("badge", badge)
        // The sound of a Live Activity stands inside its alert, and there is none without one.
        if let sound, liveActivity == nil {
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
        liveActivity?.write(into: &writer)
        writer.endObject()
    }
}

extension APS: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Nothing of the content.
    public var description: String { "APS(\(estimatedBytes) bytes or so)" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
