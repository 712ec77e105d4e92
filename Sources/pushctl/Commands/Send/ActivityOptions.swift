import ArgumentParser

/// The flags of `pushctl send` and `pushctl broadcast` that make a Live Activity's payload.
struct ActivityOptions: ParsableArguments {
    @Option(
        help: "start, update or end. Makes the push type liveactivity.", completion: .list(["start", "update", "end"]))
    var event: String?

    @Option(help: ArgumentHelp("What the activity shows: JSON, or @FILE.", valueName: "json"))
    var contentState: String?

    @Option(help: ArgumentHelp("When the push was made, in UNIX seconds; now when left out.", valueName: "seconds"))
    var timestamp: Int64?

    @Option(help: ArgumentHelp("When the shown content becomes outdated, in UNIX seconds.", valueName: "seconds"))
    var staleDate: Int64?

    @Option(help: ArgumentHelp("When an ended activity goes away, in UNIX seconds.", valueName: "seconds"))
    var dismissalDate: Int64?

    @Option(help: "For a start: the name of the app's attributes type.")
    var attributesType: String?

    @Option(help: ArgumentHelp("For a start: the attributes, JSON or @FILE.", valueName: "json"))
    var attributes: String?

    @Option(help: ArgumentHelp("For a start: updates come from this channel.", valueName: "channel"))
    var inputPushChannel: String?

    @Flag(help: "For a start: updates come with a token of the activity's own.")
    var inputPushToken = false

    init() {}

    /// Whether any of these flags but --event is given.
    private var hasDetails: Bool {
        timestamp != nil || staleDate != nil || dismissalDate != nil || inputPushToken
            || [contentState, attributesType, attributes, inputPushChannel].contains { $0 != nil }
    }

    /// Whether any of these flags is given.
    var isGiven: Bool { event != nil || hasDetails }

    /// The sound of a Live Activity is part of its alert.
    func checkSound(_ alert: AlertOptions) throws {
        guard isGiven, !alert.hasAlert, alert.sound != nil || alert.criticalVolume != nil else { return }
        throw ValidationError(
            "\(alert.sound == nil ? "--critical-volume" : "--sound") of a Live Activity needs --title or --body: "
                + "the sound is part of its alert.")
    }

    /// A Live Activity may have any score.
    func checkScore(_ alert: AlertOptions) throws {
        guard !isGiven, let score = alert.relevanceScore, !(0...1).contains(score) else { return }
        throw ValidationError(
            "--relevance-score \(String(describing: score).withoutFraction) is out of range; give a number from 0 to 1. "
                + "For a Live Activity it may be any.")
    }

    mutating func validate() throws {
        if event == nil, hasDetails {
            throw ValidationError("The flags of a Live Activity need --event start, update or end.")
        }
        if inputPushChannel != nil, inputPushToken {
            throw ValidationError("--input-push-channel and --input-push-token exclude each other; give one of them.")
        }
    }
}

extension String {
    /// A whole number as it was typed.
    fileprivate var withoutFraction: String { hasSuffix(".0") ? String(dropLast(2)) : self }
}
