import ArgumentParser
import PushCampaign
import PushTerminal
import SupervisedPush

/// The arguments of `pushctl send`.
struct SendOptions: ParsableArguments {
    @Argument(help: "The device token, in hexadecimal; none with --simulator.")
    var token: String?

    @Option(
        help: "A JSON file with the whole payload, in place of the other payload flags; - reads standard input.",
        completion: .file(extensions: ["json"]))
    var payload: String?

    @Option(name: .customLong("apns-id"), help: "The apns-id, a UUID; made here when left out.")
    var apnsID: String?

    @Option(help: "What to do with a payload over its limit; truncate-body cuts the alert's text.")
    var fit = FitMode.reject

    @Flag(help: "Send nothing if no device would show or understand the payload.")
    var strict = false

    @Flag(help: "A JSON line on standard output.")
    var json = false

    @OptionGroup(title: "Headers")
    var headers: PushHeaderOptions

    @OptionGroup(title: "Alert")
    var alert: AlertOptions

    @OptionGroup(title: "Live Activity")
    var activity: ActivityOptions

    @OptionGroup(title: "Other payloads")
    var kind: KindOptions

    @OptionGroup(title: "Header fields")
    var header: HeaderOptions

    @OptionGroup(title: "Xcode's Simulator")
    var simulator: SimulatorOptions

    @OptionGroup(title: "Connection options")
    var connection: ConnectionOptions

    init() {}

    /// Whether flags make the payload.
    var hasPayloadFlags: Bool { alert.isGiven || activity.isGiven || kind.isGiven }

    /// The types whose payload is the app's own.
    private static let typesOfContent = ["voip", "complication", "pushtotalk", "accessory"]

    mutating func validate() throws {
        try checkToken()
        switch (payload != nil, hasPayloadFlags) {
        case (false, false):
            try checkPayloadIsNotNeeded()
        case (true, true):
            throw ValidationError("--payload is the whole payload; leave out --title, --body and the like.")
        default: break
        }
        try checkKinds()
        try activity.checkSound(alert)
        if headers.pushType != "liveactivity" { try activity.checkScore(alert) }
        try HeaderChecks.id("--apns-id", apnsID)
        if simulator.device == nil { try connection.checkTopicForOnePush() }
    }
}

extension SendOptions {
    fileprivate func checkToken() throws {
        guard simulator.device == nil else {
            if token == nil { return }
            throw ValidationError("--simulator takes no TOKEN; an app in Xcode's Simulator is named by --bundle.")
        }
        guard let token else { throw ValidationError("Missing expected argument '<token>'") }
        guard Hexadecimal.isToken(token) else {
            if let other = OtherToken(token) { throw ValidationError("TOKEN \(other.sentence).") }
            throw ValidationError(
                "TOKEN is not a device token; give an even number of hexadecimal digits, without blanks or <>.")
        }
    }

    fileprivate func checkPayloadIsNotNeeded() throws {
        if headers.makesPayload { return }
        if let pushType = headers.pushType, Self.typesOfContent.contains(pushType) {
            throw ValidationError("No payload: --push-type \(pushType) needs --content JSON, or --payload FILE.")
        }
        throw ValidationError("No payload: give --body TEXT, another flag of the payload, or --payload FILE.")
    }

    /// Flags that exclude each other.
    fileprivate func checkKinds() throws {
        let pushType = headers.pushType
        if let pushType, activity.isGiven, pushType != "liveactivity" {
            throw ValidationError("--event makes a Live Activity; leave out --push-type \(pushType).")
        }
        if let pushType, kind.pushMagic != nil, pushType != "mdm" {
            throw ValidationError("--push-magic makes an mdm push; leave out --push-type \(pushType).")
        }
        if payload == nil, pushType == "liveactivity", !activity.isGiven {
            throw ValidationError("A Live Activity needs --event start, update or end, or --payload FILE.")
        }
        if payload == nil, pushType == "mdm", kind.pushMagic == nil {
            throw ValidationError("An mdm push needs --push-magic, or --payload FILE.")
        }
        if kind.container != nil || kind.domain != nil, pushType != "fileprovider" {
            throw ValidationError("--container and --domain are for --push-type fileprovider.")
        }
        let isFileProvider = payload == nil && pushType == "fileprovider"
        let wholes = [kind.pushMagic != nil, kind.wallet, isFileProvider].count(where: \.self)
        guard wholes == 0 || (wholes == 1 && !alert.isGiven && !activity.isGiven && kind.content == nil) else {
            throw ValidationError(
                "--push-magic, --wallet and --push-type fileprovider make the whole payload; leave out the other flags."
            )
        }
    }
}

extension ConnectionOptions {
    /// For a single push, whose topic must come from a flag.
    func checkTopicForOnePush() throws {
        try requireCredential()
        do {
            try requireTopic(recordsMayNameOne: false)
        } catch {
            throw ValidationError(error.message)
        }
    }
}

/// What `pushctl send` and `pushctl broadcast` do with a payload over its limit.
enum FitMode: String, ExpressibleByArgument, CaseIterable {
    case reject
    case truncateBody = "truncate-body"
}

/// A rule that `pushctl send` does not check.
struct WaivedRule: ExpressibleByArgument {
    let rule: PushRules

    init?(argument: String) {
        if argument == "all" {
            rule = .all
        } else if let known = PushRules.names.first(where: { $0.name == argument }) {
            rule = known.rule
        } else {
            return nil
        }
    }

    static var allValueStrings: [String] { PushRules.names.map(\.name) + ["all"] }
}
