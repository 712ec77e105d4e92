import DequeModule
import Locking

/// Where callers leave their pushes, and where it is decided at the call whether there is room.
///
/// It belongs to the connection, not to its process: while a process is being replaced, pushes wait here. Callers reach it
/// from any thread; the process takes what is there in one go.
final class Intake: Sendable {
    /// How much may wait.
    struct Bounds: Sendable {
        var maxWaiting = 10_000
        var maxWaitingBytes = 16 << 20
        /// Callers that may wait for room.
        var maxParked = 10_000
    }

    struct State {
        var identities = PushIdentities()
        var inbox: [PushRecord] = []
        var passedOn: [PassedOnPush] = []
        var process: Address<ConnectionMessage>?
        /// True while the process has been told and has not looked yet.
        var isNudged = false
        var isClosed = false
        var waiting = 0
        var waitingBytes = 0
        var parked = Deque<PushRecord>()
        var parkedCount = 0
        var undelivered = 0
        var inFlight = 0
        var idleWatchers: [@Sendable () -> Void] = []
    }

    private let bounds: Bounds
    private let state = Locked(State())

    init(bounds: Bounds) { self.bounds = bounds }

    // MARK: For callers

    /// Gives a push its identity. It is not offered yet; it may be cancelled already.
    func issue(
        _ push: Push, _ times: PushTimes, _ policy: PushPolicy, _ defaults: RequestDefaults
    ) -> PushRecord {
        state.withLock { $0.identities.issue(push, times, policy, defaults) }
    }

    /// Takes the push in, or says why not; then nothing is kept of it.
    func offer(_ record: PushRecord, _ outcome: OutcomeSink) throws(PushError) {
        let process = try state.withLock { (state) throws(PushError) -> Address<ConnectionMessage>? in
            guard record.admission == .notOffered else { throw .cancelledBeforeTheCall(record.id) }
            guard !state.isClosed else { throw .closed(record.id) }
            record.outcome = outcome
            try admit(record, mayPark: outcome.mayWaitForRoom, &state)
            state.inbox.append(record)
            guard !state.isNudged else { return nil }
            state.isNudged = true
            return state.process
        }
        process?.send(.pushesWaiting)
    }

    /// Withdraws a push, wherever it is. Its outcome still comes, once.
    func cancel(_ record: PushRecord) {
        enum Next { case nothing, tell(Address<ConnectionMessage>), answer(OutcomeSink) }
        let next = state.withLock { state -> Next in
            if record.admission == .notOffered {
                record.admission = .withdrawn
                return .nothing
            }
            if let process = state.process { return .tell(process) }
            guard let index = state.inbox.firstIndex(where: { $0 === record }) else { return .nothing }
            state.inbox.remove(at: index)
            state.release(record, bounds)
            return .answer(record.outcome)
        }
        switch next {
        case .nothing: break
        case .tell(let process): process.send(.cancel(record))
        case .answer(let outcome): outcome.resumeAtOnce(.failure(.cancelledBeforeTheCall(record.id)))
        }
    }

    func streamID(of record: PushRecord) -> PushStreamID? { state.withLock { _ in record.streamID } }

    func attempts(of record: PushRecord) -> Int { state.withLock { _ in record.attempts } }

    var load: PushError.Load { state.withLock { $0.load(bounds) } }

    /// How full it is, for a status.
    var occupancy: (inFlight: Int, waiting: Int, waitingBytes: Int) {
        state.withLock { ($0.inFlight, $0.waiting + $0.undelivered, $0.waitingBytes) }
    }

    /// Room is there and nobody waits for it: in. No room: a caller that can wait is parked, first come, first served.
    private func admit(_ record: PushRecord, mayPark: Bool, _ state: inout State) throws(PushError) {
        if state.parkedCount == 0, state.hasRoom(for: record, bounds) {
            state.count(record)
        } else if mayPark, state.parkedCount < bounds.maxParked {
            record.admission = .parked
            state.parked.append(record)
            state.parkedCount += 1
        } else {
            throw .overloaded(state.load(bounds), record.id)
        }
    }

    // MARK: For the process

    /// The process that serves this connection from now on.
    func attach(_ process: Address<ConnectionMessage>) {
        state.withLock {
            $0.process = process
            $0.isNudged = true
        }
        process.send(.pushesWaiting)
    }

    /// The process failed; what it passes on waits for its successor.
    func detach(passingOn pushes: [PassedOnPush]) {
        state.withLock {
            $0.process = nil
            $0.passedOn.append(contentsOf: pushes)
            $0.inFlight = 0
        }
    }

    /// Takes what was offered since the last look, and what a predecessor passed on.
    func take() -> (pushes: [PushRecord], passedOn: [PassedOnPush]) {
        state.withLock { state in
            state.isNudged = false
            let taken = (state.inbox, state.passedOn)
            state.inbox = []
            state.passedOn = []
            return taken
        }
    }

    /// No push is taken in from now on. What was taken in before is still served.
    func close() { state.withLock { $0.isClosed = true } }

    /// The connection ended: gives what is still here to the caller, who answers it.
    func drain() -> [PushRecord] {
        state.withLock { state in
            state.isClosed = true
            state.process = nil
            let left = state.passedOn.map(\.record) + state.inbox
            state.passedOn = []
            state.inbox = []
            for record in left { state.release(record, bounds) }
            state.inFlight = 0
            return left
        }
    }

    /// Brings the numbers up to date once a drain: what left the queue, which streams opened, what is in flight.
    func update(_ changes: inout IntakeChanges, inFlight: Int) {
        state.withLock { state in
            for record in changes.released { state.release(record, bounds) }
            for (record, streamID) in changes.opened {
                record.streamID = streamID
                record.attempts += 1
            }
            state.undelivered += changes.undelivered
            state.inFlight = inFlight
        }
        changes.removeAll()
        tellIdleWatchers()
    }

    /// So many completions have returned.
    func delivered(_ count: Int) {
        state.withLock { $0.undelivered -= count }
        tellIdleWatchers()
    }

    /// Calls once there is no push any more that has no outcome, or whose completion has not returned; at once, if so.
    func whenIdle(_ call: @escaping @Sendable () -> Void) {
        state.withLock { $0.idleWatchers.append(call) }
        tellIdleWatchers()
    }

    private func tellIdleWatchers() {
        let watchers = state.withLock { state -> [@Sendable () -> Void] in
            guard !state.idleWatchers.isEmpty, state.isIdle else { return [] }
            defer { state.idleWatchers = [] }
            return state.idleWatchers
        }
        for call in watchers { call() }
    }
}

/// What one drain of the process changed for its intake.
struct IntakeChanges {
    var released: [PushRecord] = []
    var opened: [(PushRecord, PushStreamID)] = []
    var undelivered = 0

    mutating func removeAll() {
        released.removeAll(keepingCapacity: released.count < 1_024)
        opened.removeAll(keepingCapacity: opened.count < 1_024)
        undelivered = 0
    }
}
