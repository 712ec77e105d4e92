import Dispatch

/// Where a bulk's pushes go, as far as the bulk needs to know it.
protocol BulkTarget: Sendable {
    var outbox: Outbox { get }
    var entrance: PushEntrance { get }

    /// True while a link takes pushes.
    var isUp: Bool { get }
    /// How many of a bulk's pushes may be read and not taken: what the links take at a time, and 256 more for each.
    var window: Int { get }
    /// Why no push will ever go out any more; nil while one may.
    var end: PushError? { get }
    /// Why no link is up for so long, if more is known than that.
    func outage(of time: Duration) -> PushError

    /// Calls whenever one of the above may have changed, on the thread that changes it; nil if the end has come.
    func watch(_ call: @escaping @Sendable () -> Void) -> Int?
    func unwatch(_ id: Int)
}

extension BulkTarget {
    /// Beyond what a link takes at a time: enough that it never runs dry while the source is read.
    static var reserve: Int { 256 }

    var time: any TimeSource { outbox.time }
    /// A serial queue for the bulk's timer.
    var timerQueue: DispatchQueue { outbox.delivery.timerQueue }

    /// Gives the push its identity.
    func issue(_ item: BulkItem, _ options: PushOptions) -> PushRecord { outbox.issue(item, options) }

    /// Hands the push over, or says why not. Where there is no room, it waits for it there.
    func offer(_ record: PushRecord, _ options: PushOptions, _ outcome: OutcomeSink) throws(PushError) {
        try outbox.check(record, options)
        try entrance.offer(record, outcome, options.whenFull)
    }

    /// Withdraws a push; its outcome still comes.
    func cancel(_ record: PushRecord) { outbox.cancel(record) }
}
