import Dispatch
import ProcessRuntime
import PushHTTP2
import PushLocking
import PushTransport

/// The process of one connection: it passes events to the machine and performs the machine's actions.
///
/// It owns the links and everything that acts: sockets, the timer, the deliveries. The machine decides what happens to
/// a push, a link or the connection.
final class ConnectionProcess: Behavior {
    typealias Message = ConnectionMessage

    let entry: ConnectionEntry
    let environment: ConnectionEnvironment
    var machine: ConnectionMachine
    /// Six at most, so a linear search is fastest.
    var links: [Link] = []
    var actions: [ConnectionAction] = []
    private var isPerforming = false
    /// True while a request may be judged unprocessed whose reset has not been written yet: until then nothing is
    /// written.
    var hasJudged = false
    /// Reusable storage for bursts.
    var news: [LinkNews] = []
    // Unchecked, because the check takes 75 instructions, four times a push. Only this process's queue gets here, and what
    // is called during an access does not come back.
    @exclusivity(unchecked) var burst: BurstContext
    private var handBack = HandBackBatch()
    private var notedToken: UInt32 = 0
    private var scratch: [UInt8] = []
    private var timer: (any OneShotTimer)?
    private var alarm = EarliestAlarm()
    var now = MonotonicInstant(nanoseconds: 0)
    /// When it may rest again.
    private var restsFrom = MonotonicInstant(nanoseconds: .min)
    // Unchecked for the same reason.
    @exclusivity(unchecked) var answering = AnsweringLink()
    /// Its number in the room.
    var holder = WaitingRoom.nobody
    /// How many pushes waited in the room at the last exchange, and how many to be sent again.
    var waiting = 0
    var retrying = 0
    var callersTurn = CallersTurn()
    /// The reason for the process to end after this drain.
    private var ending: ExitReason?
    /// The reason with which it was asked to end.
    private var requested = ExitReason.normal
    var context: ProcessContext<ConnectionMessage>?

    init(_ entry: ConnectionEntry, environment: ConnectionEnvironment) {
        self.entry = entry
        self.environment = environment
        burst = BurstContext(
            encoder: RequestEncoder(authority: entry.authority),
            coalescer: WriteCoalescer(delay: entry.config.limits.flushDelay))
        machine = ConnectionMachine(settings: entry.settings, process: ProcessID(0), seed: 0)
    }

    // MARK: Behavior

    func started(in context: ProcessContext<ConnectionMessage>) {
        self.context = context
        RuntimeQueue.mark(context.queue)
        var settings = entry.settings
        settings.lastStream = environment.lastStream
        settings.usesCertificate = entry.nextCredential.isCertificate
        let joined = entry.room.join(context.address)
        holder = joined.id
        entry.holder = joined.id
        machine = ConnectionMachine(
            settings: settings, process: context.pid, seed: environment.seed(context.pid),
            credential: joined.credential)
        timer = context.makeTimer { [weak self] in self?.timerFired() }
    }

    func receive(_ message: ConnectionMessage, in context: ProcessContext<ConnectionMessage>) {
        now = context.time.now
        switch message {
        case .start: handle(.start)
        case .pushesWait:
            callersTurn.woken()
            handle(.pushesWait)
        case .cancel(let record): handle(.cancel(record))
        case .close(let deadline, let isLeaving):
            if isLeaving { entry.room.beginLeaving(holder) }
            handle(.close(deadline: deadline))
        case .credential(let news): handle(.credential(entry.room.current(news)))
        case .credentialOffered(let offer): handle(.credentialOffered(offer))
        }
    }

    func exitRequested(_ reason: ExitReason, in context: ProcessContext<ConnectionMessage>) {
        // The successor takes the waiting pushes, if there will be one; otherwise every push ends here.
        guard !reason.isAbnormal, !entry.restarts(after: reason) else { return context.exit(reason) }
        guard !entry.life.closesByDeadline else { return }
        requested = reason
        now = context.time.now
        entry.endsByRequest(holder, now)
        handle(.close(deadline: now))
    }

    /// The end of a drain: take new pushes, write, count, deliver, and read the clock – once for all events of the
    /// drain.
    func flush(in context: ProcessContext<ConnectionMessage>) {
        exchangeAndWrite(context)
        let wake = handOver(context.pid)
        armTimer(at: wake)
        if let ending { context.exit(ending) }
    }

    /// Publishes the connection's state, then delivers outcomes. Returns when the machine wants its next tick.
    private func handOver(_ pid: ProcessID) -> MonotonicInstant? {
        noteToken(pid)
        let (gauges, wake) = standing()
        entry.watch.publish(&burst.tally, gauges: gauges, now)
        entry.hub.stands(ConnectionPhase(machine), generation: machine.generation)
        let outcomes = burst.takeOutcomes()
        if !outcomes.isEmpty { entry.delivery.deliver(outcomes, room: entry.room) }
        if !handBack.isEmpty { giveBack() }
        if gauges.inFlight == 0 { rest() }
        return wake
    }

    /// No push is in flight: an idle connection keeps no buffers.
    ///
    /// Between single pushes in quick succession it does, because the next one would take them again, with a system
    /// call: it rests at most once a second. The timer of the last push brings the drain in which it rests after it.
    private func rest() {
        scratch = []
        guard now >= restsFrom else { return }
        var hasRested = false
        for link in links where link.rest() { hasRested = true }
        guard hasRested else { return }
        restsFrom = now.advanced(by: .seconds(1))
        burst.rest()
        news = []
        if actions.isEmpty { actions = [] }
        entry.outbox.rest()
    }

    /// The state of the machine, with the number of pushes that wait for it in the room.
    private func standing() -> (gauges: ConnectionGauges, nextWake: MonotonicInstant?) {
        var standing = machine.standing()
        standing.gauges.waiting = waiting
        standing.gauges.retrying = retrying
        return standing
    }

    func terminated(_ reason: ExitReason, in context: ProcessContext<ConnectionMessage>) {
        timer?.cancel()
        now = context.time.now
        if ending == nil { extractPushes() }
        for link in links { link.abandon() }
        links = []
        burst.countOutcomes()
        entry.room.leave(holder, changes: &burst.changes, now)
        _ = handOver(context.pid)
        entry.processEnded(context.pid, reason: reason)
        self.context = nil
    }

    // MARK: Events

    private func timerFired() {
        alarm.fired()
        now = context?.time.now ?? now
        // Bytes that have arrived come before the effects of time: they may contain a PING's or a push's answer.
        for link in links { link.readArrived() }
        handle(.tick)
    }

    /// Passes an event to the machine and performs its actions in order. Events caused by actions follow in turn.
    func handle(_ event: ConnectionMachine.Event) {
        machine.handle(event, now, into: &actions)
        performAll()
    }

    /// Performs the machine's actions and handles their effects.
    func performAll() {
        guard !isPerforming, !actions.isEmpty else { return }
        isPerforming = true
        defer { (isPerforming, hasJudged) = (false, false) }
        var batch: [ConnectionAction] = []
        while !actions.isEmpty {
            swap(&batch, &actions)
            var index = 0
            while index < batch.count {
                if let link = batch[index].submitsTo {
                    index = submit(&batch, from: index, on: link)
                } else {
                    // Exchanged for an action without a payload: a copy costs a retain for each reference in it.
                    var action = ConnectionAction.noteSettled
                    swap(&action, &batch[index])
                    perform(action)
                    index += 1
                }
            }
            batch.removeAll(keepingCapacity: true)
        }
        if batch.capacity <= 4_096 { actions = batch }
    }

    private func armTimer(at machineWake: MonotonicInstant?) {
        let writeAt = burst.coalescer.writeAt
        guard ending == nil, let wake = machineWake.map({ min($0, writeAt ?? $0) }) ?? writeAt else { return }
        if alarm.mustArm(for: wake, now) { timer?.arm(at: wake) }
    }

    // MARK: Actions

    func perform(_ action: consuming ConnectionAction) {
        switch consume action {
        case .dial(let id, let port, let refreshes): dial(id, port: port, refreshes: refreshes)
        case .submit: break  // `performAll` writes these in runs, and a machine that failed has none.
        case .giveBack(let push): burst.changes.returned.append(push)
        case .withdraw(let link, let stream, let slot): withdraw(on: link, stream: stream, slot: slot)
        case .reset(let link, let stream): reset(stream, on: link)
        case .closeLink(let id): closeLink(id)
        case .abandonLink(let id): abandonLink(id)
        case .breakLink(let id, let cause): breakLink(id, cause: cause)
        case .ping(let id, let number): ping(number, on: id)
        case .finish(let record, let outcome, let endsTurn):
            if endsTurn { burst.changes.turnsEnded.append(record.recipient) }
            finish(record, with: outcome)
        case .noteAnswer(let answer): burst.changes.answers.append(answer)
        case .noteSettings: burst.changes.hasSettings = true
        case .noteSettled: burst.changes.settledStreams += 1
        case .post(let fact): post(fact)
        case .renewToken(let issue, let link, let slot, let response):
            renewToken(issue, on: link, slot: slot, response: response)
        case .judge(let response, let isProbe, let isReplaced):
            judge(response, isProbe: isProbe, isReplaced: isReplaced)
        case .refuseCredential(let refusal, let isProbe): refuse(refusal, isProbe: isProbe)
        case .probeEnded: entry.room.probeEnded(by: holder, now)
        case .acceptOffer(let number): entry.acceptCredential(number)
        case .declineOffer(let number, let end): entry.declineCredential(number, end: end)
        case .stop(let refusal): ending = refusal.map { .failure($0) } ?? requested
        }
    }

    func link(_ id: LinkID) -> Link? { links.first { $0.id == id } }

    func removeLink(_ id: LinkID) -> Link? {
        links.firstIndex { $0.id == id }.map { links.remove(at: $0) }
    }

    private func closeLink(_ id: LinkID) {
        guard let link = removeLink(id) else { return }
        report(.closed, on: id)
        withScratch { link.close(&$0) }
    }

    private func abandonLink(_ id: LinkID) {
        guard let link = removeLink(id) else { return }
        report(.abandoned, on: id)
        link.abandon()
    }

    private func ping(_ number: UInt64, on id: LinkID) {
        guard let link = link(id) else { return }
        report(.ping, on: id)
        link.ping(number)
    }

    private func reset(_ stream: Int32, on id: LinkID) {
        guard let link = link(id) else { return }
        burst.tally.reset(Resets(.cancel, stream: stream, isOurs: true), on: id)
        link.reset(stream)
    }

    /// Lends the buffer. Moved out of `self`, because writing can cause events, and those can close a link.
    func withScratch(_ body: (inout [UInt8]) -> Void) {
        var buffer = scratch
        scratch = []
        body(&buffer)
        scratch = buffer
    }

    private func dial(_ id: LinkID, port: Int, refreshes: Bool) {
        guard let context else { return }
        report(.dialed, on: id)
        let endpoint = Endpoint(host: entry.endpoint.host, port: port)
        let link = Link(id, to: endpoint, through: entry.config.proxy.server, owner: self)
        links.append(link)
        let credential = entry.nextCredential
        guard let loader = credential.neededLoader(refreshes: refreshes) else { return open(link, showing: credential) }
        link.loads()
        loader.load(
            again: credential.isLoaded, on: context.queue,
            completion: context.callback { [weak self, weak link] (result: Result<ResolvedCredential, ConnectError>) in
                self?.loaded(result, for: link)
            })
    }

    private func loaded(_ result: Result<ResolvedCredential, ConnectError>, for link: Link?) {
        now = context?.time.now ?? now
        if case .success(let credential) = result { entry.credentials.loaded(credential) }
        guard let link else { return }
        switch result {
        case .success(let credential): open(link, showing: credential)
        case .failure(let error): link.loadingFailed(error)
        }
    }

    private func open(_ link: Link, showing credential: ResolvedCredential) {
        guard let context else { return }
        link.open(over: environment.connector, showing: credential, in: context) { [environment, entry] in
            try environment.makeSession(entry.name, entry.session)
        }
    }

    private func withdraw(on id: LinkID, stream: Int32, slot: Int32) {
        let link = link(id)
        if let link, let answer = link.partialAnswer(of: stream) {
            burst.tally.answered(answer.status, on: id)
            let response = PushResponse(answer)
            noteAnswer(response, on: link)
            return handle(.withdrawn(slot: slot, .answered(response)))
        }
        let fate = link?.progress(of: stream) ?? .written
        hasJudged = hasJudged || fate != .written
        handle(.withdrawn(slot: slot, .written(fate)))
    }

    private func renewToken(_ issue: UInt32, on id: LinkID, slot: Int32, response: PushResponse) {
        let isNewer = entry.credential.hasNewerToken(than: issue, shownBy: link(id)?.credential, now)
        if isNewer { for link in links { link.token?.ask() } }
        handle(.tokenChecked(id, slot: slot, isNewer: isNewer, response))
    }

    private func finish(_ record: PushRecord, with outcome: consuming OutcomeReceiver.Outcome) {
        guard let context = record.context else { return end(record, with: outcome) }
        end(record, with: outcome.carrying(context))
    }

    private func end(_ record: PushRecord, with outcome: consuming OutcomeReceiver.Outcome) {
        guard !note(outcome, of: record) else { return deliver(record, outcome: outcome.suspectingEnvironment) }
        deliver(record, outcome: outcome)
    }

    private func deliver(_ record: PushRecord, outcome: consuming OutcomeReceiver.Outcome) {
        if let outcome = burst.finish(record, with: outcome, now) { record.outcome.resume(outcome) }
    }

    /// - Returns: Whether it is an answer that probably comes from the wrong environment.
    private func note(_ outcome: borrowing OutcomeReceiver.Outcome, of record: PushRecord) -> Bool {
        switch outcome {
        case .failure(let error):
            handBack.add(record, certainty: error.certainty)
            return false
        case .success(let response): return noteAnswer(to: record, response: response)
        }
    }

    private func post(_ fact: ConnectionFact) {
        var fact = fact
        if case .late(let record, let streamID, var end) = fact {
            if case .answered(var response) = end, noteAnswer(to: record, response: response) {
                response.suspectsEnvironment = true
                end = .answered(response)
                fact = .late(record, streamID, end)
            }
            burst.outcomes.add(late: end.carrying(record.context), of: record)
        }
        if fact.refusal?.reason == .invalidProviderToken { entry.credential.authority?.wasCalledInvalid(now) }
        guard let context else { return }
        entry.watch.order(&burst.tally, now)
        if fact.changesPhase {
            // A caller that reads the phase also finds the link's limit.
            entry.watch.publish(standing().gauges)
        }
        entry.post(fact, of: context.pid)
        if let delay = fact.pause { environment.onPause?(now.advanced(by: delay)) }
    }

    private func noteToken(_ pid: ProcessID) {
        guard burst.tokenIssue != notedToken else { return }
        notedToken = burst.tokenIssue
        entry.watch.tokenChanged(notedToken, of: pid)
    }

    func report(_ fact: LinkFact, on link: LinkID) {
        guard let context else { return }
        entry.watch.order(&burst.tally, now)
        entry.watch.report(fact, on: link, of: context.pid)
    }

    private func giveBack() {
        entry.outbox.handBack(handBack)
        handBack = HandBackBatch()
    }
}
