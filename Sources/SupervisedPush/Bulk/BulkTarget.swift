import Dispatch
import ProcessRuntime

/// The target of a bulk's pushes: a connection or a pool, across its processes, or one process alone.
struct BulkTarget {
    private let destination: any Destination
    /// The only process that the handle means; nil if any process of the connection will do.
    private let pid: ProcessID?

    init(_ connection: PushConnection) {
        destination = connection.destination
        // A pool's pushes go to its connections, whichever process supervises them.
        pid = destination is ConnectionEntry ? connection.process : nil
    }

    /// How many more pushes are read than a link takes at a time, so that links never run dry while the source is read.
    private static let reserve = 256

    private var outbox: Outbox { destination.outbox }
    var time: any TimeSource { outbox.time }
    /// A serial queue for the bulk's timer.
    var timerQueue: DispatchQueue { outbox.delivery.timerQueue }

    // MARK: Where it stands

    /// True while a link takes pushes.
    var isUp: Bool { destination.hub.phase == .up }

    /// How many of a bulk's pushes may be read and not taken: as many as the links take at a time, plus 256 for each.
    var window: Int {
        let serving = destination.serving
        let limits = serving.filter { $0.hub.phase == .up }.map(\.watch.gauges.limit)
        guard limits.isEmpty else { return limits.reduce(0) { $0 + $1 + Self.reserve } }
        return max(1, serving.count) * (destination.config.limits.maxInFlight + Self.reserve)
    }

    /// Why no push can go out any more; nil while one may.
    var end: PushError? {
        if let pid, destination.pid != pid { return PushError(LookupError.noProcess(pid)) }
        return destination.endError
    }

    /// The error after an outage of this time, with its cause if known.
    func outage(of time: Duration) -> PushError {
        destination.refusal.map(PushError.suspended) ?? .noLink(for: time, destination.outage)
    }

    /// Calls back whenever one of the above may have changed, on the thread that changes it. Nil if the end has come.
    func watch(_ call: @escaping @Sendable () -> Void) -> Int? { destination.hub.watch(call) }
    func unwatch(_ id: Int) { destination.hub.unwatch(id) }

    // MARK: Pushes

    /// Gives the push its id.
    func issue(_ item: BulkItem, _ options: PushOptions) -> PushRecord { outbox.issue(item, options) }

    /// Gives a push that was refused another id, for another attempt. Its apns-id stays.
    func issue(again record: PushRecord, _ options: PushOptions) -> PushRecord {
        if let broadcast = record.broadcast { return outbox.issue(broadcast, options) }
        guard let push = record.push else { return record }
        return outbox.issue(push, apnsID: record.apnsID, options, at: outbox.call(options))
    }

    /// Refuses what APNs would refuse.
    func check(_ record: PushRecord, _ options: PushOptions) throws(PushError) { try outbox.check(record, options) }

    /// Hands pushes over; returns the errors of those that are not accepted. Without room, a push waits for it.
    func offer(_ batch: [OfferedPush], _ options: PushOptions) -> [(push: OfferedPush, error: PushError)] {
        let entrance = destination.entrance
        return entrance.outbox.offer(batch, options.whenFull, to: entrance.holder)
    }

    /// Cancels a push; its outcome still arrives.
    func cancel(_ record: PushRecord) { outbox.cancel(record) }
}
