/// The push types APNs knows, and what the strict checks want of their topics.
enum PushKind: String, CaseIterable {
    case alert, background, voip, complication, fileprovider, mdm, location, liveactivity, pushtotalk, widgets, controls

    init?(_ value: Octets) {
        guard let kind = Self.byName[value] else { return nil }
        self = kind
    }

    /// What the topic of this push type ends with; empty where the bundle id stands alone.
    var topicSuffix: StaticString {
        switch self {
        case .alert, .background, .mdm: ""
        case .voip: ".voip"
        case .complication: ".complication"
        case .fileprovider: ".pushkit.fileprovider"
        case .location: ".location-query"
        case .liveactivity: ".push-type.liveactivity"
        case .pushtotalk: ".voip-ptt"
        case .widgets: ".push-type.widgets"
        case .controls: ".push-type.controls"
        }
    }

    private static let byName: [Octets: PushKind] = Dictionary(
        uniqueKeysWithValues: allCases.map { (Octets(Array($0.rawValue.utf8)), $0) })
}
