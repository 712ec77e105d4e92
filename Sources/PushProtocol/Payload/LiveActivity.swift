import FoundationEssentials

/// What a push does to a Live Activity: start, update or end it.
///
/// Its times are sent as whole seconds since 1970 UTC, rounded down, as ActivityKit requires. Dates *inside* your content state are encoded as its
/// decoder reads them (see ``EncodedJSON``).
public struct LiveActivity: Hashable, Sendable {
    /// What happens to the activity.
    public struct Event: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The value of the key.
        public let rawValue: String

        /// Creates an event from its value.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Starts the activity. Sent to a push-to-start token, iOS 17.2 and later.
        public static let start = Event(rawValue: "start")
        /// Updates the activity. Sent to the activity's own token or to a channel.
        public static let update = Event(rawValue: "update")
        /// Ends the activity. Sent to the activity's own token or to a channel.
        public static let end = Event(rawValue: "end")

        /// The value of the key.
        public var description: String { rawValue }
    }

    /// How a started activity receives its updates, iOS 18 and later.
    public enum Input: Hashable, Sendable {
        /// From the channel with this id.
        case channel(String)
        /// With its own token, which the app sends to you.
        case token
    }

    /// What happens.
    public var event: Event
    /// When this push was made. The system ignores a push that is older than the one it shows.
    public var timestamp: Date
    /// What the activity shows. Optional for an end.
    public var contentState: EncodedJSON?
    /// When the system marks the content as outdated.
    public var staleDate: Date?
    /// When an ended activity leaves the lock screen: at most four hours after its end, and at once if the time has
    /// passed.
    public var dismissalDate: Date?
    /// The name of the app's attributes type. Only for a start.
    public var attributesType: String?
    /// The attributes, which never change. Only for a start.
    public var attributes: EncodedJSON?
    /// How a started activity receives its updates.
    public var input: Input?

    /// Creates an activity from an event. ``start(_:attributes:contentState:timestamp:staleDate:input:)``,
    /// ``update(_:timestamp:staleDate:)`` and ``end(_:timestamp:dismissalDate:)`` are shorter.
    public init(event: Event, timestamp: Date = .now) {
        self.event = event
        self.timestamp = timestamp
    }

    /// Starts an activity on a device. The push also needs an alert.
    ///
    /// - Parameters:
    ///   - attributesType: The name of the app's `ActivityAttributes` type.
    ///   - attributes: The values that stay the same during the activity.
    ///   - contentState: What it shows first.
    ///   - timestamp: When this was made. By default now.
    ///   - staleDate: When it becomes outdated.
    ///   - input: How it receives its updates; nil leaves that to the app.
    /// - Throws: `InvalidPush` with the code `.contentNotEncodable` or `.customValueNotFinite`.
    public static func start(
        _ attributesType: String, attributes: some Encodable, contentState: some Encodable,
        timestamp: Date = .now, staleDate: Date? = nil, input: Input? = nil
    ) throws(InvalidPush) -> LiveActivity {
        var activity = LiveActivity(event: .start, timestamp: timestamp)
        activity.attributesType = attributesType
        activity.attributes = try EncodedJSON(attributes)
        activity.contentState = try EncodedJSON(contentState)
        activity.staleDate = staleDate
        activity.input = input
        return activity
    }

    /// Starts an activity on a device, whose content becomes outdated some time after `timestamp`; see
    /// ``start(_:attributes:contentState:timestamp:staleDate:input:)``.
    public static func start(
        _ attributesType: String, attributes: some Encodable, contentState: some Encodable,
        timestamp: Date = .now, staleAfter: Duration, input: Input? = nil
    ) throws(InvalidPush) -> LiveActivity {
        try start(
            attributesType, attributes: attributes, contentState: contentState, timestamp: timestamp,
            staleDate: timestamp.after(staleAfter), input: input)
    }

    /// Updates the activity.
    ///
    /// - Throws: `InvalidPush` with the code `.contentNotEncodable` or `.customValueNotFinite`.
    public static func update(
        _ contentState: some Encodable, timestamp: Date = .now, staleDate: Date? = nil
    ) throws(InvalidPush) -> LiveActivity {
        var activity = LiveActivity(event: .update, timestamp: timestamp)
        activity.contentState = try EncodedJSON(contentState)
        activity.staleDate = staleDate
        return activity
    }

    /// Updates the activity, whose content becomes outdated some time after `timestamp`.
    ///
    /// - Throws: `InvalidPush` with the code `.contentNotEncodable` or `.customValueNotFinite`.
    public static func update(
        _ contentState: some Encodable, timestamp: Date = .now, staleAfter: Duration
    ) throws(InvalidPush) -> LiveActivity {
        try update(contentState, timestamp: timestamp, staleDate: timestamp.after(staleAfter))
    }

    /// Ends the activity with a final state.
    ///
    /// - Throws: `InvalidPush` with the code `.contentNotEncodable` or `.customValueNotFinite`.
    public static func end(
        _ contentState: some Encodable, timestamp: Date = .now, dismissalDate: Date? = nil
    ) throws(InvalidPush) -> LiveActivity {
        var activity = end(timestamp: timestamp, dismissalDate: dismissalDate)
        activity.contentState = try EncodedJSON(contentState)
        return activity
    }

    /// Ends the activity with a final state, which leaves the lock screen some time after `timestamp`: at most four hours.
    ///
    /// - Throws: `InvalidPush` with the code `.contentNotEncodable` or `.customValueNotFinite`.
    public static func end(
        _ contentState: some Encodable, timestamp: Date = .now, dismissAfter: Duration
    ) throws(InvalidPush) -> LiveActivity {
        try end(contentState, timestamp: timestamp, dismissalDate: timestamp.after(dismissAfter))
    }

    /// Ends the activity with what it currently shows, which leaves the lock screen some time after `timestamp`.
    public static func end(timestamp: Date = .now, dismissAfter: Duration) -> LiveActivity {
        end(timestamp: timestamp, dismissalDate: timestamp.after(dismissAfter))
    }

    /// Ends the activity with what it currently shows.
    public static func end(timestamp: Date = .now, dismissalDate: Date? = nil) -> LiveActivity {
        var activity = LiveActivity(event: .end, timestamp: timestamp)
        activity.dismissalDate = dismissalDate
        return activity
    }

    var estimatedBytes: Int {
        160 + (contentState?.bytes.count ?? 0) + (attributes?.bytes.count ?? 0)
    }

    /// Writes its members of the `aps` object.
    func write(into writer: inout JSONWriter) {
        writer.member("timestamp", Int(timestamp.unixSeconds))
        writer.member("event", event.rawValue)
        writer.member("content-state", contentState)
        writer.member("stale-date", staleDate.map { Int($0.unixSeconds) })
        writer.member("dismissal-date", dismissalDate.map { Int($0.unixSeconds) })
        writer.member("attributes-type", attributesType)
        writer.member("attributes", attributes)
        switch input {
        case .channel(let id): writer.member("input-push-channel", id)
        case .token: writer.member("input-push-token", 1)
        case nil: break
        }
    }
}

extension LiveActivity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Contains no content.
    public var description: String { "LiveActivity(\(event), timestamp: \(timestamp.unixSeconds))" }

    /// Same as `description`.
    public var debugDescription: String { description }

    /// Contains nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
