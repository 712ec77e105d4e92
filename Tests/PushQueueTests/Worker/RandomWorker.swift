import Foundation
import ProcessRuntime

@testable import PushQueue

/// One life of a worker in a random life: its machine, its links, and the call to the store that is under way.
struct RandomWorker {
    /// A push that the machine offered and that has not ended.
    struct Flight {
        let key: TakenEntry.Key
        let token: RandomToken
        let end: MonotonicInstant
        var isWritten = false
        /// Before this instant it does not end.
        var heldUntil: MonotonicInstant?
    }

    let id: WorkerID
    var machine: WorkerMachine
    /// The call that the store has not seen yet, or whose answer is on its way.
    var call: WorkerMachine.Action?
    var answer: WorkerMachine.Event?
    /// The same of the heartbeat.
    var beats = false
    var beatAnswer: WorkerMachine.Event?
    var isWaiting = false
    var flights: [Flight] = []
    var room = 0
    /// Until then, the worker does not run.
    var pausedUntil: MonotonicInstant?
    /// Until then, its calls do not reach the store.
    var cutOffUntil: MonotonicInstant?
    /// Until then, APNs answers most of its pushes not at all.
    var silentUntil: MonotonicInstant?
    var isStopping = false
    var isFinished = false
    /// Whether a call was repeated whose first answer was lost: the store may have given it something unknown.
    var hasStray = false
    /// What the store said of each entry when the worker got it.
    var got: [TakenEntry.Key: WorkerMachine.Facts] = [:]
    /// The entries of which it has written something since it got them.
    var touched: Set<TakenEntry.Key> = []
    /// Whether its next call finds that the queue is gone.
    var findsLoss = false

    init(_ id: WorkerID, _ rate: QueueRate?) {
        self.id = id
        machine = WorkerMachine(id, rate: rate)
    }
}

/// A device token of an entry.
struct RandomToken: Hashable {
    let entry: EntryID
    let index: Int
}

extension WorkerMachine.Facts {
    /// What the interpreter would tell the machine.
    init(_ taken: TakenEntry, _ now: MonotonicInstant, wall: Date) {
        self.init(
            key: taken.key, offered: taken.offered, settled: taken.settled, doubts: taken.doubts,
            retries: taken.retries, hold: taken.hold)
        guard let entry = try? taken.entry.get() else { return }
        (id, count, neverRepeats) = (entry.id, entry.tokens.count, entry.neverRepeats)
        campaign = entry.campaign
        deadline = entry.deadline.map { now.advanced(by: .seconds($0.timeIntervalSince(wall))) }
    }
}
