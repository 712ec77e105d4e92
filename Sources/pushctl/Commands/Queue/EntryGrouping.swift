import PushCampaign
import PushQueue
import SupervisedPush

/// Groups tokens that get the same notification: a campaign costs least in entries of many tokens.
///
/// Records are grouped in batches. A batch has all records between two lines, and the queue takes all of it or nothing,
/// so that there is always a line to go on from.
struct EntryGrouping {
    /// The tokens of one entry.
    struct Group: Equatable, Sendable {
        let notification: PushNotification
        fileprivate(set) var tokens: [DeviceToken]
        /// The lines of the tokens' records.
        fileprivate(set) var lines: [Int]
    }

    /// How large a batch becomes.
    struct Limits: Equatable, Sendable {
        var tokensPerEntry = CampaignSize.tokensPerEntry
        var tokens = CampaignSize.tokensPerCall
        var entries = 1_024
        /// Of payloads.
        var bytes = 4 << 20
    }

    private let limits: Limits
    private(set) var groups: [Group] = []
    /// The group of each notification that is not full.
    private var places: [PushNotification: Int] = [:]
    private var latest: Int?
    private var tokens = 0
    private var bytes = 0

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Whether the batch takes no more.
    var isFull: Bool { tokens >= limits.tokens || groups.count >= limits.entries || bytes >= limits.bytes }

    /// Whether there is a group for it already.
    func has(_ notification: PushNotification) -> Bool {
        latest.map { groups[$0].notification == notification } == true || places[notification] != nil
    }

    mutating func add(_ notification: PushNotification, to token: DeviceToken, line: Int) {
        let place = place(of: notification)
        groups[place].tokens.append(token)
        groups[place].lines.append(line)
        tokens += 1
        guard groups[place].tokens.count >= limits.tokensPerEntry else { return latest = place }
        places[notification] = nil
        latest = nil
    }

    private mutating func place(of notification: PushNotification) -> Int {
        // Most often it is the one before.
        if let latest, groups[latest].notification == notification { return latest }
        if let place = places[notification] { return place }
        groups.append(Group(notification: notification, tokens: [], lines: []))
        bytes += notification.payload.count
        places[notification] = groups.count - 1
        return groups.count - 1
    }
}
