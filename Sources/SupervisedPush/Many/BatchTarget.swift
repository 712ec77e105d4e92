import Dispatch
import ProcessRuntime

/// Where a caller's many pushes go, and how they are handed over: a connection or a pool, across its processes, or one process
/// alone. A bulk and a worker stand on it.
package struct BatchTarget: Sendable {
    let connection: PushConnection
    private let destination: any Destination
    /// The only process that the handle means; nil if any process of the connection will do.
    private let pid: ProcessID?

    package init(_ connection: PushConnection) {
        self.connection = connection
        destination = connection.destination
        // A pool's pushes go to its connections, whichever process supervises them.
        pid = destination is ConnectionEntry ? connection.process : nil
    }

    var outbox: Outbox { destination.outbox }
    var time: any TimeSource { outbox.time }
    /// A serial queue for timers.
    var timerQueue: DispatchQueue { outbox.delivery.timerQueue }

    // MARK: Where it stands

    /// True while a link takes pushes.
    var isUp: Bool { destination.hub.phase == .up }

    /// How many more pushes are handed over than a link takes at a time, so that it never runs dry.
    private static let reserve = 256

    /// How many pushes the links that are up take, those in flight included; nil while none is up.
    package var capacity: Int? {
        let limits = destination.serving.filter { $0.hub.phase == .up }.map(\.watch.gauges.limit)
        return limits.isEmpty ? nil : limits.reduce(0) { $0 + $1 + Self.reserve }
    }

    /// The capacity of all links, as far as it is known before they are up.
    var expectedCapacity: Int {
        max(1, destination.serving.count) * (destination.config.limits.maxInFlight + Self.reserve)
    }

    /// Why no push can go out any more; nil while one may.
    package var end: PushError? {
        if let pid, destination.pid != pid { return PushError(LookupError.noProcess(pid)) }
        return destination.endError
    }

    /// The error after an outage of this time, with its cause if known.
    func outage(of time: Duration) -> PushError {
        destination.refusal.map(PushError.suspended) ?? .noLink(for: time, destination.outage)
    }

    /// Calls back whenever one of the above may have changed, on the thread that changes it. Nil if the end has come.
    package func watch(_ call: @escaping @Sendable () -> Void) -> Int? { destination.hub.watch(call) }
    package func unwatch(_ id: Int) { destination.hub.unwatch(id) }

    // MARK: Pushes

    /// Gives a push that was refused another id, for another attempt. Its apns-id stays.
    func issue(again record: PushRecord, _ options: PushOptions) -> PushRecord {
        if let broadcast = record.broadcast { return outbox.issue(broadcast, options: options) }
        guard let push = record.push else { return record }
        return outbox.issue(push, apnsID: record.apnsID, options: options, at: outbox.call(options))
    }

    /// Hands pushes over that have their ids.
    ///
    /// - Parameters:
    ///   - collector: Gets the outcomes of those that are accepted.
    ///   - whenFull: What happens to one that finds no room; nil for what the connection says.
    /// - Returns: Those that are refused: by the rules of APNs, for want of room, or because the target has ended.
    func offer(
        _ batch: [(record: PushRecord, ticket: Int)], to collector: any OutcomeCollector, whenFull: WhenFull?,
        _ options: PushOptions
    ) -> [SettledPush] {
        let entrance: PushEntrance
        do { entrance = try connection.entrance } catch {
            return batch.map { SettledPush(refused: $0.record, $0.ticket, error) }
        }
        var refused: [SettledPush] = []
        var offered: [OfferedPush] = []
        offered.reserveCapacity(batch.count)
        for (record, ticket) in batch {
            do throws(PushError) {
                try outbox.check(record, options: options)
                offered.append(OfferedPush(record: record, outcome: .collector(collector, ticket: ticket)))
            } catch {
                refused.append(SettledPush(refused: record, ticket, error))
            }
        }
        for (push, error) in outbox.offer(offered, whenFull: whenFull, to: entrance.holder) {
            guard case .collector(_, let ticket) = push.outcome else { continue }
            refused.append(SettledPush(refused: push.record, ticket, error))
        }
        return refused
    }

    /// Cancels a push; its outcome still arrives.
    func cancel(_ record: PushRecord) { outbox.cancel(record) }
}
