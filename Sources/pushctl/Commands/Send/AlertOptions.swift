import ArgumentParser

/// The flags of `pushctl send` for the alert of a payload and what belongs to it. Texts and names may begin with a
/// hyphen.
struct AlertOptions: ParsableArguments {
    @Option(parsing: .unconditional, help: "The alert's title.")
    var title: String?

    @Option(parsing: .unconditional, help: "The alert's subtitle.")
    var subtitle: String?

    @Option(parsing: .unconditional, help: "The alert's text.")
    var body: String?

    @Option(parsing: .unconditional, help: "The key of a localized title; --title-loc-arg fills its places.")
    var titleLocKey: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Fills a place of the localized title; may be repeated.", valueName: "text"))
    var titleLocArg: [String] = []

    @Option(parsing: .unconditional, help: "The key of a localized subtitle; --subtitle-loc-arg fills its places.")
    var subtitleLocKey: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Fills a place of the localized subtitle; may be repeated.", valueName: "text"))
    var subtitleLocArg: [String] = []

    @Option(parsing: .unconditional, help: "The key of a localized text; --loc-arg fills its places.")
    var locKey: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Fills a place of the localized text; may be repeated.", valueName: "text"))
    var locArg: [String] = []

    @Option(help: "The image that is shown when the app starts from the notification.")
    var launchImage: String?

    @Option(help: "The number on the app's icon; 0 clears it.")
    var badge: Int?

    @Option(help: "The sound's file name, or default.")
    var sound: String?

    @Option(help: ArgumentHelp("Makes the sound a critical one of this volume, 0 to 1.", valueName: "volume"))
    var criticalVolume: Double?

    @Option(parsing: .unconditional, help: "The notification's category.")
    var category: String?

    @Option(name: .customLong("thread-id"), parsing: .unconditional, help: "What groups notifications.")
    var threadID: String?

    @Option(
        name: .customLong("target-content-id"), parsing: .unconditional, help: "The window that is brought forward.")
    var targetContentID: String?

    @Option(
        help: "passive, active, time-sensitive or critical.",
        completion: .list(["passive", "active", "time-sensitive", "critical"]))
    var interruptionLevel: String?

    @Option(parsing: .unconditional, help: "What comes first in a summary, 0 to 1; any number for a Live Activity.")
    var relevanceScore: Double?

    @Option(parsing: .unconditional, help: "What the app's Focus filter decides by.")
    var filterCriteria: String?

    @Flag(help: "Wakes the app in the background.")
    var contentAvailable = false

    @Flag(help: "Runs the app's notification service extension first.")
    var mutableContent = false

    @Option(parsing: .unconditional, help: "Safari: the label of the button.")
    var action: String?

    @Option(
        name: .customLong("url-arg"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Safari: fills a place of the site's URL; may be repeated.", valueName: "text"))
    var urlArguments: [String] = []

    init() {}

    /// Whether any of these flags is given.
    var isGiven: Bool {
        hasAlert || badge != nil || relevanceScore != nil || criticalVolume != nil || contentAvailable || mutableContent
            || !urlArguments.isEmpty
            || [sound, category, threadID, targetContentID, interruptionLevel, filterCriteria].contains { $0 != nil }
    }

    /// Whether the push shows something.
    var hasAlert: Bool {
        [title, subtitle, body, titleLocKey, subtitleLocKey, locKey, launchImage, action].contains { $0 != nil }
    }

    mutating func validate() throws {
        if let badge, badge < 0 { throw ValidationError("--badge \(badge) is below 0.") }
        if let criticalVolume, !(0...1).contains(criticalVolume) {
            throw ValidationError("--critical-volume \(criticalVolume) is out of range; give a number from 0 to 1.")
        }
        for (name, text, key, arguments) in [
            ("title", title, titleLocKey, titleLocArg), ("subtitle", subtitle, subtitleLocKey, subtitleLocArg),
            ("", body, locKey, locArg),
        ] {
            let flag = name.isEmpty ? "--loc" : "--\(name)-loc"
            if text != nil, key != nil {
                throw ValidationError(
                    "\(flag)-key takes the place of --\(name.isEmpty ? "body" : name); give one of them.")
            }
            if key == nil, !arguments.isEmpty { throw ValidationError("\(flag)-arg needs \(flag)-key.") }
        }
    }
}
