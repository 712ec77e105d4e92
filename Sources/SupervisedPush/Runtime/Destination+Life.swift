import Dispatch
import ProcessRuntime

/// The life of a connection or a pool: its events, and the actions that follow.
extension Destination {
    // MARK: Events

    /// The process serves it from now on. False if no process is wanted any more.
    func processBegan(_ process: Address<Process.Message>) -> Bool {
        life.began(process, time.now) { perform($0) }
    }

    /// Its process has ended; the supervisor says what follows.
    func processEnded(_ pid: ProcessID, reason: ExitReason) {
        life.ended(pid, reason: reason, time.now) { perform($0) }
    }

    /// The first process could not be started.
    func startFailed() { live(.startFailed) }

    /// The supervisor reports on its process.
    func hear(_ event: SupervisorEvent) {
        switch event {
        case .restarting: live(.restartFollows)
        case .restarted: break
        case .gaveUp: live(.noRestart(.givenUp))
        case .ended(_, let reason): live(.noRestart(LifeEnd(after: reason)))
        }
    }

    /// Whether another process should follow this end. The supervisor makes the final decision: it may give up.
    func restarts(after reason: ExitReason) -> Bool {
        restart.restarts(after: reason) && reason.credentialRefusal == nil && life.isOpen
    }

    /// Refuses further pushes. Whatever still lives sends what it can until the deadline, then ends. A later call can
    /// bring the deadline forward.
    ///
    /// A connection of a pool that goes on leaves it: the others take the waiting pushes.
    func close(by deadline: MonotonicInstant) {
        live(.close(by: deadline, isLeaving: leavePool()))
    }

    func live(_ event: LifeMachine.Event) { life.handle(event, time.now) { perform($0) } }

    // MARK: Actions

    private func perform(_ action: LifeMachine.Action) {
        switch action {
        case .begin(let pid):
            hub.began(pid)
            giveToOwner(life.takeUnclaimed())
            processServes(pid)
        case .tellEnd(let pid, let reason):
            processLeft(pid, reason: reason)
            hub.post(.down(pid: pid, reason: reason))
        case .release: hooks.release(self)
        // The waiting pushes of a pool's connection are served by its other connections.
        case .closeRoom(let deadline): if pool == nil { room.close(by: deadline) }
        case .endRoom(let end): if pool == nil { room.end(RoomEnding.Reason(end)) }
        case .close(let deadline, let isLeaving): passOn(closeBy: deadline, isLeaving: isLeaving)
        case .stopProcess(let end): stopProcess(end)
        case .acceptOffers: resolveOffers(follows: true)
        case .declineOffers: resolveOffers(follows: false)
        case .awaitCompletions:
            room.whenHandedOver { [self] in delivery.afterwards { self.live(.completionsReturned) } }
        case .forget:
            if pool == nil { credentials.end() }
            forget()
        case .giveBack: giveToOwner(life.takeUnclaimed())
        case .postGivenUp:
            watch.givenUp(latestPid)
            hub.post(.givenUp(name: name))
        case .endMessages:
            watch.finish()
            hub.end()
        case .resumeClosers: giveToOwner(life.resumeClosers())
        }
    }

    // MARK: Hand-back

    /// Gives pushes back: to the caller of `close` while it closes, otherwise to the owner's mailbox. Pushes that end
    /// before the first process wait for it, because the message names a process.
    func handBack(_ batch: HandBackBatch) {
        if !batch.isEmpty, !life.keep(batch) { giveToOwner(batch) }
    }

    /// Posts to the owner's mailbox. Pushes that no mailbox takes are counted in the log.
    private func giveToOwner(_ batch: HandBackBatch) {
        guard !batch.pushes.isEmpty else { return }
        let latestPid = latestPid
        if let latestPid, hub.handBack(.handedBack(pid: latestPid, name: name, batch.handBack)) { return }
        watch.handBackLost(batch, of: latestPid)
    }

    /// Applies the owner policy once the owner's mailbox is closed or released.
    func followOwner() {
        guard let limit = config.ownerPolicy.limit else { return }
        hub.whenOwnerGoes { [weak self] in
            // The caller may hold arbitrary locks, so continue on our own queue.
            guard let self else { return }
            delivery.timerQueue.async { self.close(by: self.time.now.advanced(by: limit)) }
        }
    }

    // MARK: Callers of `close`

    /// Resumes the caller once everything has ended and the last completion has returned.
    func whenOver(_ caller: ClosingCaller) { life.whenOver(caller) }

    /// The caller stops waiting before the end. It takes what has been handed back so far.
    func leave(_ caller: ClosingCaller) { life.leave(caller) }
}
