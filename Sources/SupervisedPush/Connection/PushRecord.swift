import Locking

/// One push on its way: what was called, its times, and where its outcome goes.
///
/// Made on the caller's thread, then handed to one connection process, which ends it exactly once.
final class PushRecord: @unchecked Sendable {
    // Sendable: everything immutable is Sendable; `slot`, `tokenIssue` and `answered` are touched on the owning process's
    // queue only; `admission`, `isCancelled`, `streamID`, `attempts` and the forwardings only under the lock of its intake;
    // `outcome` and `wasParked` are set under that lock before the process sees the push.

    /// Where a push stands with its intake.
    enum Admission { case notOffered, admitted, parked, released, withdrawn, dropped, moved }

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
    var admission = Admission.notOffered
    /// True once its caller cancelled it; a process may end before it hears of that.
    var isCancelled = false
    var outcome = OutcomeSink.nobody
    /// True if its caller had to wait for room: then it is not dropped for a later push.
    var wasParked = false
    /// The stream of the latest attempt.
    var streamID: PushStreamID?
    /// How often it was written.
    var attempts = 0
    /// The connection of a pool that gave it its identity; set before anybody else sees the push.
    var home: ConnectionEntry?
    /// Leads to where it goes on, if another connection of its pool took it over.
    var forwarding: Forwarding?
    /// The forwarding of those it was before. Weak, because it leads here: it lives as long as one of them does.
    weak var earlierForwarding: Forwarding?

    /// Where it goes on, if another connection of its pool took it over.
    var successor: Successor? { forwarding?.latest }

    struct Successor {
        let record: PushRecord
        let entry: ConnectionEntry
    }

    /// Leads whoever holds an earlier record of a push to its latest one. All of them share it: however often the push moves,
    /// no record keeps the next one alive.
    final class Forwarding: Sendable {
        private let state: Locked<Successor>

        init(_ successor: Successor) { state = Locked(successor) }

        var latest: Successor { state.withLock { $0 } }
        func lead(to successor: Successor) { state.withLock { $0 = successor } }
    }

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

    /// The same push for another connection, which may be reached from its own threads from now on.
    convenience init(continuing record: PushRecord) {
        self.init(
            id: record.id, record.notification, context: record.context, head: record.head, times: record.times,
            policy: record.policy)
        answered = record.answered
        outcome = record.outcome
        wasParked = record.wasParked
        streamID = record.streamID
        attempts = record.attempts
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
