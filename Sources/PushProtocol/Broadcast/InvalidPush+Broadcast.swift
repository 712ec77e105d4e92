/// The rules of broadcasts.
extension InvalidPush.Code {
    /// The path of a broadcast needs the app's bundle id, but none is set.
    public static let bundleIDMissing = Self(rawValue: "bundle_id_missing")
    /// The bundle id contains a character that bundle ids cannot contain.
    public static let invalidBundleID = Self(rawValue: "invalid_bundle_id")
    /// The push type is not `liveactivity`, which broadcasts require. Rule ``PushRules/content``.
    public static let notLiveActivity = Self(rawValue: "not_live_activity")
    /// A broadcast can update or end Live Activities, but not start them. Rule ``PushRules/content``.
    public static let startInBroadcast = Self(rawValue: "start_in_broadcast")
    /// A broadcast cannot replace an earlier one. Rule ``PushRules/collapseID``.
    public static let collapseIDInBroadcast = Self(rawValue: "collapse_id_in_broadcast")

    /// What is wrong and what to do; nil for the rules of other pushes.
    var broadcastSentence: String? {
        switch self {
        case .bundleIDMissing:
            "the bundle id is missing: pass it to the call, or set it as the topic in the connection's defaults"
        case .invalidBundleID:
            "the bundle id contains characters other than letters, digits, hyphens and periods: use the app's "
                + "bundle id, without a suffix"
        case .notLiveActivity:
            "broadcasts require the push type liveactivity: leave the push type out; to send it anyway, waive the "
                + "rule content"
        case .startInBroadcast:
            "a broadcast cannot start a Live Activity: push the start to a device; to send it anyway, waive the "
                + "rule content"
        case .collapseIDInBroadcast:
            "a broadcast cannot have a collapse id: a channel that stores messages keeps the latest anyway; to send it "
                + "anyway, waive the rule collapse-id"
        default: nil
        }
    }
}
