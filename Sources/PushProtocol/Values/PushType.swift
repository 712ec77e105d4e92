/// The header `apns-push-type`: the kind of push. APNs requires that it matches the payload.
///
/// The twelve known types are static members. Use `PushType(rawValue: "…")` for a type that Apple adds later; it has no
/// topic suffix and the usual payload limit.
public struct PushType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The largest length in bytes; checked before a push is sent.
    public static let maxBytes = 64

    /// The value of the header.
    public let rawValue: String

    /// What follows the bundle id in the topic for this type, including the leading period; empty if nothing.
    public let topicSuffix: String

    /// Creates a type from the value of its header.
    public init(rawValue: String) {
        self.rawValue = rawValue
        topicSuffix = Self.topicSuffix(of: rawValue)
    }

    /// Shows an alert, plays a sound or sets the badge.
    public static let alert = PushType(rawValue: "alert")
    /// Wakes the app in the background; `aps` contains only `content-available`. Sent with priority 5.
    public static let background = PushType(rawValue: "background")
    /// Announces an incoming call to PushKit.
    public static let voip = PushType(rawValue: "voip")
    /// Updates a watchOS complication.
    public static let complication = PushType(rawValue: "complication")
    /// Tells a file provider extension that its content changed.
    public static let fileProvider = PushType(rawValue: "fileprovider")
    /// Asks a managed device to contact its MDM server.
    public static let mdm = PushType(rawValue: "mdm")
    /// Asks for the device's location through a location push extension. Requires a provider token.
    public static let location = PushType(rawValue: "location")
    /// Starts, updates or ends a Live Activity.
    public static let liveActivity = PushType(rawValue: "liveactivity")
    /// Push to Talk.
    public static let pushToTalk = PushType(rawValue: "pushtotalk")
    /// Reloads widgets.
    public static let widgets = PushType(rawValue: "widgets")
    /// Reloads controls.
    public static let controls = PushType(rawValue: "controls")
    /// Carries an accessory's answer to a forwarded notification back to the iPhone.
    public static let accessory = PushType(rawValue: "accessory")

    /// All types known to this version.
    public static let known: [PushType] = [
        .alert, .background, .voip, .complication, .fileProvider, .mdm, .location, .liveActivity, .pushToTalk, .widgets,
        .controls, .accessory,
    ]

    /// The suffixes of topics, without the empty one.
    package static let topicSuffixes = known.map(\.topicSuffix).filter { !$0.isEmpty }

    private static func topicSuffix(of type: String) -> String {
        switch type {
        case "voip": ".voip"
        case "complication": ".complication"
        case "fileprovider": ".pushkit.fileprovider"
        case "location": ".location-query"
        case "liveactivity": ".push-type.liveactivity"
        case "pushtotalk": ".voip-ptt"
        case "widgets": ".push-type.widgets"
        case "controls": ".push-type.controls"
        case "accessory": ".push-type.accessory"
        default: ""
        }
    }

    /// The value of the header.
    public var description: String { rawValue }
}
