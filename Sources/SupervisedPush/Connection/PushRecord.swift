/// One push on its way: what was called, its times, and where its outcome goes.
///
/// Made on the caller's thread. From then on it is in one of two places: it waits in its name's room, or one process
/// has it. It ends exactly once.
final class PushRecord: @unchecked Sendable {
    // Sendable: everything immutable is Sendable. `standing`, `isCancelled`, `streamID` and `attempts` are touched
    // under the lock of the room only; `outcome`, `callNumber` and `wasParked` are set under it, before any process has
    // the push. `slot`, `tokenIssue` and `answered` belong to whoever has the push: its process, on its queue, or the
    // room, under its lock.

    /// Where a push stands with its room.
    enum Standing {
        case notOffered
        /// Its caller withdrew it before it was offered.
        case withdrawn
        /// In this slot of the room.
        case waiting(Int32)
        case held(WaitingRoom.HolderID)
        /// It ended in the room.
        case ended
    }

    let id: PushID
    let notification: PushNotification
    /// The caller's, to be given back.
    let context: (any Sendable)?
    /// Its header fields, the connection's defaults merged in; the same at every attempt.
    let head: RequestHead
    let times: PushTimes
    /// What may be done with it beyond its first write.
    let policy: PushPolicy
    /// What it weighs against the bound on waiting bytes: its payload.
    let size: Int

    /// The place in the machine's table; -1 while it has none.
    var slot: Int32 = -1
    /// The number of the provider token that its latest attempt carried; 0 where it carried none of ours.
    var tokenIssue: UInt32 = 0
    /// The answer it was retried after.
    var answered: RetriedAnswer?
    var standing = Standing.notOffered
    /// Its place in call order, given when it was let in.
    var callNumber: UInt64 = 0
    /// True once its caller cancelled it; a process may end before it hears of that.
    var isCancelled = false
    var outcome = OutcomeSink.nobody
    /// True if its caller had to wait for room: then it is not dropped for a later push.
    var wasParked = false
    /// The stream of the latest attempt.
    var streamID: PushStreamID?
    /// How often it was written.
    var attempts = 0

    init(
        id: PushID, _ notification: PushNotification, context: (any Sendable)? = nil, head: RequestHead,
        times: PushTimes, policy: PushPolicy
    ) {
        self.id = id
        self.notification = notification
        self.context = context
        self.head = head
        self.times = times
        self.policy = policy
        size = notification.payload.count
    }

    /// A push to a device, which stands in the head, too.
    convenience init(id: PushID, push: Push, head: RequestHead, times: PushTimes, policy: PushPolicy = PushPolicy()) {
        self.init(id: id, push.notification, context: push.context, head: head, times: times, policy: policy)
    }

    /// The push as its caller has it; nil if it goes to no device.
    var push: Push? { head.deviceToken.map { Push(notification, to: $0, context: context) } }

    /// Who stands behind it in line, and is held back with it.
    var recipient: Recipient {
        if let token = head.deviceToken { return .device(token) }
        guard let route = head.template.route, route.action == .broadcast, let channel = route.channelID else {
            return .management
        }
        return .channel(channel)
    }

    /// The id made for it or given by the caller; nil where APNs is to make one.
    var apnsID: APNSID? { head.apnsID }
}
