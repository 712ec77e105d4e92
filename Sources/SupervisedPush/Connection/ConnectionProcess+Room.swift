import ProcessRuntime
import PushHTTP2

/// The exchange between a process and its name's room.
extension ConnectionProcess {
    func exchangeAndWrite(_ context: ProcessContext<ConnectionMessage>) {
        for _ in 0..<4 {
            // Twice at most: a wake-up gives the turn up once.
            while exchange() {
                environment.giveWay()
                now = context.time.now
            }
            guard burst.coalescer.endsDrain(now) else { return }
            withScratch { buffer in for link in links { link.flush(&buffer) } }
            // Some streams end only when a frame about them has left. A body that has left lets others begin.
            guard burst.hasNews || isUnblocked else { return }
        }
        context.address.send(.pushesWait)
    }

    /// The one exchange with the room: returns ended pushes and those that wait again, and takes new ones.
    ///
    /// - Returns: Whether to let the callers run, then take more.
    private func exchange() -> Bool {
        burst.countOutcomes()
        noteWindow()
        let supply = entry.room.exchange(holder, changes: &burst.changes, readiness: machine.readiness(now), now)
        (waiting, retrying) = (supply.waiting, supply.retrying)
        if !supply.isNone || machine.followsWindow { handle(.taken(supply)) }
        return callersTurn.took(supply.pushes.count, now)
    }

    /// What the current link's peer takes now, as its session knows.
    private func noteWindow() {
        guard let (id, known) = machine.knownWindow, let window = link(id)?.sendWindow, window != known else { return }
        handle(.window(id, window))
    }

    /// A body that kept others waiting has left.
    private var isUnblocked: Bool {
        guard let (id, known) = machine.knownWindow, known.isBlocked else { return false }
        return link(id)?.sendWindow?.isBlocked == false
    }

    /// The pushes accepted so far are older than this answer.
    func judge(_ response: PushResponse, isProbe: Bool, isReplaced: Bool) {
        let accepted = burst.changes.accepted > 0
        burst.changes.accepted = 0
        let verdict = entry.room.judge(
            response, isProbe: isProbe, isReplaced: isReplaced, after: accepted, by: holder, now)
        handle(.judged(verdict.news, isOwn: true, isHealthy: verdict.isHealthy))
    }

    func refuse(_ refusal: CredentialRefusal, isProbe: Bool) {
        let (news, wasKnown) = entry.room.refuse(refusal, isProbe: isProbe, by: holder, now)
        handle(.judged(news, isOwn: !wasKnown, isHealthy: false))
    }

    /// Takes all pushes out of a machine that failed.
    func extractPushes() {
        let lost = links.map { link in
            LostLink(id: link.id, streams: lostStreams(link), lastSubmitted: link.lastSubmitted)
        }
        machine.extractPushes(lost, now, into: &actions)
        let last = actions
        actions = []
        for action in last { perform(action) }
    }
}
