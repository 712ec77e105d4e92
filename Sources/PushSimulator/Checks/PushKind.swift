/// The push types of APNs, and the topic suffix that the strict checks require.
enum PushKind: String, CaseIterable {
    case alert, background, voip, complication, fileprovider, mdm, location, liveactivity, pushtotalk, widgets,
        controls, accessory

    init?(_ value: Octets) {
        guard let kind = Self.byName[value] else { return nil }
        self = kind
    }

    /// The suffix of the topic for this push type; empty if the topic is the bundle id.
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
        case .accessory: ".push-type.accessory"
        }
    }

    /// The suffixes of topics, without the empty one.
    static let suffixes = allCases.map(\.topicSuffix).filter { $0.utf8CodeUnitCount > 0 }

    /// The bundle id that stands before the suffix of another push type; nil if the topic can be of this one.
    func bundleID(ofOthersTopic topic: Octets) -> Octets? {
        let own = topic.ends(with: topicSuffix) ? topic.dropLast(topicSuffix.utf8CodeUnitCount) : topic
        return Self.suffixes.first { own.ends(with: $0) }.map { own.dropLast($0.utf8CodeUnitCount) }
    }

    private static let byName: [Octets: PushKind] = Dictionary(
        uniqueKeysWithValues: allCases.map { (Octets(Array($0.rawValue.utf8)), $0) })
}
