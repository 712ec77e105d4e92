import FoundationEssentials
import SupervisedPush

/// One notification for 1 to 1,000 devices: what a program puts into a queue.
///
/// A queue belongs to one tenant: the workers push all of its entries through the connection or pool of the queue's
/// name. A campaign costs least in entries of 256 tokens.
public struct QueueEntry: Sendable {
    /// The number of device tokens that an entry may have.
    public static let tokenCounts = 1...1_000

    /// Its name.
    public var id: EntryID
    /// What is pushed. Its apns-id and its own provider token are not stored: each push has the apns-id of
    /// ``EntryID/apnsID(of:)``.
    public var notification: PushNotification
    /// To whom it is pushed, in this order.
    public var tokens: [DeviceToken]
    /// When it may be pushed at the earliest. Nil, the default: at once.
    public var notBefore: Date?
    /// When it is too late to push it: what is left then ends as `failed`, `expired`. Nil, the default: never.
    public var deadline: Date?
    /// What becomes of a push that may have been sent when its worker died. False, the default: it is pushed again with
    /// the same apns-id. True: it ends as `unknown`, `interrupted`. It is stored as the field `once`.
    public var neverRepeats: Bool
    /// The campaign that it belongs to. Nil, the default: none.
    public var campaign: CampaignName?
    /// Whether it is taken before others that wait, also those to the same devices. Of each eight tokens that are taken
    /// meanwhile, one is of the others. False is the default. It is stored as the field `urgent`.
    public var isUrgent: Bool

    /// Makes an entry.
    ///
    /// - Throws: ``QueueError`` with the code `invalidEntry` if the number of tokens is not in ``tokenCounts``.
    public init(
        _ notification: PushNotification, to tokens: [DeviceToken], id: EntryID = EntryID(), notBefore: Date? = nil,
        deadline: Date? = nil, neverRepeats: Bool = false, campaign: CampaignName? = nil, isUrgent: Bool = false
    ) throws(QueueError) {
        guard Self.tokenCounts.contains(tokens.count) else {
            throw QueueError(
                .invalidEntry,
                "An entry has 1 to 1,000 device tokens, not \(tokens.count). Put the others into another entry.")
        }
        self.id = id
        self.notification = notification
        self.tokens = tokens
        self.notBefore = notBefore
        self.deadline = deadline
        self.neverRepeats = neverRepeats
        self.campaign = campaign
        self.isUrgent = isUrgent
    }
}
