/// What the connection and its process ask of the intake.
extension Intake {
    /// The process that serves this connection from now on.
    func attach(_ process: Address<ConnectionMessage>) {
        change {
            $0.process = process
            $0.isNudged = true
        }
        process.send(.pushesWaiting)
    }

    /// The process ended; what it passes on waits for its successor.
    ///
    /// - Returns: those of them that were cancelled, of which the process may not have heard: for the caller to answer.
    func detach(passingOn pushes: [PassedOnPush]) -> [PassedOnPush] {
        change { state in
            state.process = nil
            state.passedOn.append(contentsOf: pushes)
            state.inFlight = 0
            state.unsettled = 0
            state.forgetDropped()
            let cancelled = (state.passedOn + state.inbox.map { PassedOnPush($0) }).filter(\.record.isCancelled)
            guard !cancelled.isEmpty else { return [] }
            state.passedOn.removeAll(where: \.record.isCancelled)
            state.inbox.removeAll(where: \.isCancelled)
            for push in cancelled { state.end(push) }
            return cancelled
        }
    }

    /// What was offered since the last look, and what a predecessor passed on.
    struct Taken {
        var pushes: [PushRecord] = []
        var passedOn: [PassedOnPush] = []
        /// True if older pushes have to go for newer ones: how many, `takeExcess` says.
        var hasExcess = false
    }

    func take() -> Taken {
        // Nobody waits for this change: nothing comes or goes by it.
        withState { state in
            state.isNudged = false
            state.forgetDropped()
            let taken = Taken(pushes: state.inbox, passedOn: state.passedOn, hasExcess: !state.due.isNone)
            state.unsettled += taken.pushes.count + taken.passedOn.count
            state.inbox = []
            state.passedOn = []
            return taken
        }
    }

    /// How much has to go now. Ask after `update`, so that it is not more than is needed.
    ///
    /// - Parameter held: how many pushes wait in the process.
    func takeExcess(held: Int) -> Excess { withState { $0.takeExcess(held: held) } }

    /// So many that had to go could not: they had waited for room, or had been written before. Those in the inbox are looked at
    /// next.
    func keepDue(_ count: Int) {
        guard count > 0 else { return }
        withState { if !$0.inbox.isEmpty { $0.due.count += count } }
    }

    /// No push is taken in from now on. What was taken in before is still served.
    func close() { change { $0.isClosed = true } }

    /// The connection ended: gives what is still here to the caller, who answers it.
    func drain() -> [PassedOnPush] {
        change { state in
            state.isClosed = true
            state.hasEnded = true
            state.process = nil
            state.forgetDropped()
            let left = state.passedOn + state.inbox.map { PassedOnPush($0) }
            state.passedOn = []
            state.inbox = []
            for push in left { state.end(push) }
            state.inFlight = 0
            state.unsettled = 0
            return left
        }
    }

    /// Brings the numbers up to date once a drain: what left the queue, which streams opened, what is in flight.
    ///
    /// - Parameter unsettled: how many of the pushes that the process took have no outcome.
    func update(_ changes: inout IntakeChanges, inFlight: Int, unsettled: Int) {
        change { state in
            for record in changes.released { state.release(record) }
            for (record, streamID) in changes.opened {
                record.streamID = streamID
                record.attempts += 1
            }
            if changes.undelivered > 0 { state.addUndelivered(changes.undelivered, bytes: changes.undeliveredBytes) }
            state.inFlight = inFlight
            state.unsettled = unsettled
        }
        changes.removeAll()
    }

    /// So many completions have returned.
    func delivered(_ count: Int, bytes: Int) {
        change { state in
            state.undelivered -= count
            state.undeliveredBytes -= bytes
        }
    }

    // MARK: While no process lives

    /// Takes out the pushes whose time is over, if no process lives that would do it.
    ///
    /// - Returns: those, and when to ask again.
    func takeExpired(_ now: MonotonicInstant) -> (expired: [PassedOnPush], next: MonotonicInstant?) {
        change { state in
            guard state.process == nil else { return ([], nil) }
            state.forgetDropped()
            var expired: [PassedOnPush] = []
            var next = PushTimes.never
            func isOver(_ push: PassedOnPush) -> Bool {
                let instant = push.record.times.whileWaiting.instant
                if instant <= now { expired.append(push) } else { next = min(next, instant) }
                return instant <= now
            }
            state.passedOn.removeAll(where: isOver)
            state.inbox.removeAll { isOver(PassedOnPush($0)) }
            for push in expired { state.end(push) }
            return (expired, next == PushTimes.never ? nil : next)
        }
    }
}

extension Intake.State {
    /// Takes a push out of those that wait for a process.
    mutating func takeOut(_ record: PushRecord) -> PassedOnPush? {
        guard record.admission != .dropped else { return nil }
        forgetDropped()
        let push: PassedOnPush
        if let index = inbox.firstIndex(where: { $0 === record }) {
            push = PassedOnPush(inbox.remove(at: index))
        } else if let index = passedOn.firstIndex(where: { $0.record === record }) {
            push = passedOn.remove(at: index)
        } else {
            return nil
        }
        end(push)
        return push
    }

    /// A push ends here: it counts no longer, or from now on until its completion has returned.
    mutating func end(_ push: PassedOnPush) {
        release(push.record)
        willAnswer(push.record)
    }
}

/// What one drain of the process changed for its intake.
struct IntakeChanges {
    var released: [PushRecord] = []
    var opened: [(PushRecord, PushStreamID)] = []
    var undelivered = 0
    var undeliveredBytes = 0

    mutating func removeAll() {
        released.removeAll(keepingCapacity: released.count < 1_024)
        opened.removeAll(keepingCapacity: opened.count < 1_024)
        undelivered = 0
        undeliveredBytes = 0
    }
}
