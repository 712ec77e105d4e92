/// The rules of broadcasts.
extension InvalidPush.Code {
    /// A broadcast's path needs the app's bundle id, and nothing says which.
    public static let bundleIDMissing = Self(rawValue: "bundle_id_missing")
    /// The bundle id has a character that no bundle id has.
    public static let invalidBundleID = Self(rawValue: "invalid_bundle_id")
    /// A broadcast carries updates of Live Activities and nothing else. Rule ``PushRules/content``.
    public static let notLiveActivity = Self(rawValue: "not_live_activity")
    /// A broadcast updates or ends Live Activities and cannot start them. Rule ``PushRules/content``.
    public static let startInBroadcast = Self(rawValue: "start_in_broadcast")
    /// A broadcast cannot replace an earlier one. Rule ``PushRules/collapseID``.
    public static let collapseIDInBroadcast = Self(rawValue: "collapse_id_in_broadcast")

    /// What is wrong and what to do; nil for the rules of other pushes.
    var broadcastSentence: String? {
        switch self {
        case .bundleIDMissing:
            "the bundle id is missing: give it with the call, or as the topic in the connection's defaults"
        case .invalidBundleID:
            "the bundle id has other characters than letters, digits, hyphens and periods: give the app's, without a suffix"
        case .notLiveActivity:
            "the push type is not liveactivity, and a broadcast carries nothing else: leave the push type out; to send it "
                + "nevertheless, waive the rule content"
        case .startInBroadcast:
            "a broadcast cannot start a Live Activity: push the start to a device; to send it nevertheless, waive the rule content"
        case .collapseIDInBroadcast:
            "a broadcast takes no collapse id: a channel that stores messages keeps the newest anyway; to send it nevertheless, "
                + "waive the rule collapse-id"
        default: nil
        }
    }
}
