/// One push on its way: its request, its times, and the receiver of its outcome.
///
/// It is made on the caller's thread. Then it is in one of two places: it waits in its name's room, or one process has
/// it. It ends exactly once.
final class PushRecord: @unchecked Sendable {
    // Sendable: everything immutable is Sendable. `standing`, `isCancelled`, `streamID` and `attempts` are accessed
    // only under the room's lock. `outcome`, `callNumber` and `wasParked` are set under it, before a process has the
    // push. `slot`, `isLate`, `tokenIssue` and `answered` belong to the holder of the push: its process, on its queue, or the
    // room, under its lock.

    /// The push's state in its room.
    enum Standing {
        case notOffered
        /// Its caller cancelled it before it was offered.
        case withdrawn
        /// It is in this slot of the room.
        case waiting(Int32)
        case held(WaitingRoom.HolderID)
        /// It ended in the room.
        case ended
    }

    /// How many bytes an instance takes, as a hint. A backlog is memory that has left the processor's cache, so the properties below
    /// are in an order without gaps.
    static let footprint = 256

    let id: PushID
    let notification: PushNotification
    /// The caller's value, to be given back.
    let context: (any Sendable)?
    /// Its header fields, including the connection's defaults; the same at every attempt.
    let head: RequestHead
    /// The caller gave the apns-id beside the notification.
    private let hasCallersID: Bool
    /// True once its caller cancelled it. A process may end before it learns of that.
    var isCancelled = false
    /// True if its caller had to wait for room: it is then not dropped for a later push.
    var wasParked = false
    /// True once it was reported as timed out while its stream stays open: its late end follows.
    var isLate = false
    /// Its slot in the machine's table; -1 if it has none.
    var slot: Int32 = -1
    let times: PushTimes
    /// How it may be resent and retried.
    let policy: PushPolicy
    /// The answer after which it was retried.
    var answered: RetriedAnswer?
    /// Its place in call order, assigned when it was accepted.
    var callNumber: UInt64 = 0
    var outcome = OutcomeReceiver.nobody
    /// The number of the provider token that its latest attempt carried; 0 if it carried none of ours.
    var tokenIssue: UInt32 = 0
    /// The stream of the latest attempt.
    var streamID: PushStreamID?
    /// How often it was written.
    var attempts: Int32 = 0
    var standing = Standing.notOffered
    private let payloadBytes: UInt32

    /// Its payload's bytes, which count against the limit on waiting bytes.
    var size: Int { Int(payloadBytes) }

    init(
        id: PushID, _ notification: PushNotification, context: (any Sendable)? = nil, head: RequestHead,
        hasCallersID: Bool = false, times: PushTimes, policy: PushPolicy
    ) {
        self.id = id
        self.notification = notification
        self.context = context
        self.head = head
        self.hasCallersID = hasCallersID
        self.times = times
        self.policy = policy
        payloadBytes = UInt32(clamping: notification.payloadBytes)
    }

    /// A push to a device; the head also contains the device token.
    convenience init(
        id: PushID, push: Push, head: RequestHead, hasCallersID: Bool = false, times: PushTimes,
        policy: PushPolicy = PushPolicy()
    ) {
        self.init(
            id: id, push.notification, context: push.context, head: head, hasCallersID: hasCallersID, times: times,
            policy: policy)
    }

    /// Moves the receiver out; it receives its one outcome.
    func takeReceiver() -> OutcomeReceiver {
        var receiver = OutcomeReceiver.moved
        swap(&receiver, &outcome)
        return receiver
    }

    /// The push as its caller has it; nil if it does not go to a device.
    var push: Push? { head.deviceToken.map { Push(notification, to: $0, context: context) } }

    /// Its recipient: pushes with the same one wait behind it.
    var recipient: Recipient {
        if let token = head.deviceToken { return .device(token) }
        guard let route = head.template.route, route.action == .broadcast, let channel = route.channelID else {
            return .management
        }
        return .channel(channel)
    }

    /// The id made for it or given by the caller; nil if APNs makes one.
    var apnsID: APNSID? { head.apnsID }

    /// The apns-id, if the caller gave one.
    var callerID: APNSID? { hasCallersID ? head.apnsID : notification.callerID }
}
