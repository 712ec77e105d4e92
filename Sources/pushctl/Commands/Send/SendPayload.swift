import PushCampaign
import PushTerminal
import SupervisedPush

/// Makes the notification that the flags of `pushctl send` or `pushctl broadcast` describe.
struct SendPayload {
    private let payload: String?
    private let pushType: PushType?
    private let alert: AlertOptions
    /// Flags for a Live Activity. A campaign has none of them.
    private let activity: ActivityOptions?
    /// Flags for pushes to devices other than alerts and Live Activities. A broadcast has none of them.
    private let kind: KindOptions?
    /// The topic is a website's, whose pushes always have `url-args`.
    private let isSite: Bool
    private let fit: FitMode
    /// The most bytes of JSON allowed; nil: the limit of the push type.
    private let limit: Int?
    /// Seconds since 1970: the timestamp of a Live Activity that sets none.
    private let now: Int64

    init(_ options: SendOptions, now: Int64) {
        payload = options.payload
        pushType = options.headers.pushType.map { PushType(rawValue: $0) }
        alert = options.alert
        activity = options.activity
        kind = options.kind
        isSite = options.connection.topic?.hasPrefix("web.") == true
        fit = options.fit
        limit = nil
        self.now = now
    }

    /// The payload that records without one of their own share.
    init(_ options: some CampaignFlags, now: Int64) {
        payload = options.payload
        pushType = options.campaign.headers.pushType.map { PushType(rawValue: $0) }
        alert = options.campaign.alert
        activity = nil
        kind = nil
        isSite = options.siteTopic?.hasPrefix("web.") == true
        fit = .reject
        limit = nil
        self.now = now
    }

    init(_ options: BroadcastOptions, now: Int64) {
        payload = options.payload
        pushType = .liveActivity
        alert = options.alert
        activity = options.activity
        kind = nil
        isSite = false
        fit = options.fit
        limit = RequestRoute.maxBroadcastBytes
        self.now = now
    }

    func notification() throws -> PushNotification {
        var notification = try makeNotification()
        if let pushType { notification.pushType = pushType }
        return fit == .truncateBody ? try notification.fitted(limit: limit) : notification
    }

    private func makeNotification() throws -> PushNotification {
        if let payload { return try .raw(PayloadFile.contents(of: payload)) }
        if kind?.wallet == true { return .wallet() }
        if let pushMagic = kind?.pushMagic { return .mdm(pushMagic: pushMagic) }
        if let activity, activity.isGiven { return try make(activity) }
        switch pushType {
        case .fileProvider?: return .fileProvider(containerIdentifier: kind?.container, domain: kind?.domain)
        case .voip? where !alert.isGiven, .complication? where !alert.isGiven:
            return PushNotification(payload: try Payload(content: try object("--content", kind?.content)))
        case .accessory? where !alert.isGiven:
            let answer = try object("--content", kind?.content).bytes
            return try .raw(Array(#"{"aps":"#.utf8) + answer + Array("}".utf8))
        case .background?: return try makeAlert { $0.contentAvailable = true }
        case .widgets?, .controls?: return try makeAlert { $0.contentChanged = true }
        default: return try makeAlert { _ in }
        }
    }

    private func makeAlert(_ edit: (inout APS) -> Void) throws -> PushNotification {
        var aps = aps
        edit(&aps)
        return PushNotification(payload: try makePayload(aps))
    }

    private func make(_ activity: ActivityOptions) throws -> PushNotification {
        var live = LiveActivity(
            event: LiveActivity.Event(rawValue: activity.event ?? ""),
            timestamp: Date(unixSeconds: activity.timestamp ?? now))
        live.contentState = try activity.contentState.map { try object("--content-state", $0) }
        live.staleDate = activity.staleDate.map { Date(unixSeconds: $0) }
        live.dismissalDate = activity.dismissalDate.map { Date(unixSeconds: $0) }
        live.attributesType = activity.attributesType
        live.attributes = try activity.attributes.map { try object("--attributes", $0) }
        live.input = activity.inputPushToken ? .token : activity.inputPushChannel.map { .channel($0) }
        var aps = aps
        aps.liveActivity = live
        return PushNotification(payload: try makePayload(aps), pushType: .liveActivity)
    }

    private func makePayload(_ aps: APS) throws -> Payload {
        guard let content = kind?.content else { return try Payload(aps) }
        return try Payload(aps, content: try object("--content", content))
    }

    private var aps: APS {
        let flags = alert
        var aps = APS(badge: flags.badge, threadID: flags.threadID, category: flags.category)
        if flags.hasAlert {
            var alert = Alert(
                title: text(flags.title, key: flags.titleLocKey, arguments: flags.titleLocArg),
                subtitle: text(flags.subtitle, key: flags.subtitleLocKey, arguments: flags.subtitleLocArg),
                body: text(flags.body, key: flags.locKey, arguments: flags.locArg), launchImage: flags.launchImage)
            alert.action = flags.action
            aps.alert = alert
        }
        if let volume = flags.criticalVolume {
            aps.sound = .critical(flags.sound ?? "default", volume: volume)
        } else {
            aps.sound = flags.sound.map { Sound($0) }
        }
        aps.targetContentID = flags.targetContentID
        aps.interruptionLevel = flags.interruptionLevel.map { InterruptionLevel(rawValue: $0) }
        aps.relevanceScore = flags.relevanceScore
        aps.filterCriteria = flags.filterCriteria
        aps.contentAvailable = flags.contentAvailable
        aps.mutableContent = flags.mutableContent
        if isSite || !flags.urlArguments.isEmpty || flags.action != nil { aps.urlArguments = flags.urlArguments }
        return aps
    }

    private func text(_ plain: String?, key: String?, arguments: [String]) -> AlertText? {
        if let key { return .localized(key, arguments: arguments) }
        return plain.map { AlertText($0) }
    }

    /// A JSON object from a flag: as given, or from the file after an @.
    private func object(_ flag: String, _ value: String?) throws -> EncodedJSON {
        guard let value else {
            throw CommandError.usage("--push-type \(pushType?.rawValue ?? "") needs --content JSON.")
        }
        let bytes: [UInt8]
        if value.hasPrefix("@") {
            bytes = try InputFile.contents(of: String(value.dropFirst()), limit: RecordReaders.longestRecord)
        } else {
            bytes = Array(value.utf8)
        }
        if let problem = JSONScanner.problem(inObject: bytes) { throw CommandError.usage("\(flag) \(problem)") }
        return try EncodedJSON(json: bytes)
    }
}
