import Dispatch
import HTTP2Session
import WireTransport

/// The process of one connection: it feeds the machine with what happens and performs what the machine decides.
///
/// It holds the links, and everything that acts: sockets, the timer, the deliveries. It decides nothing.
final class ConnectionProcess: Behavior {
    typealias Message = ConnectionMessage

    let entry: ConnectionEntry
    private let environment: ConnectionEnvironment
    private var machine: ConnectionMachine
    var links: [LinkID: Link] = [:]
    private var actions: [ConnectionAction] = []
    private var isPerforming = false
    /// The link whose events are being translated, and why it failed meanwhile.
    var translating: LinkID?
    var lateFailure: LinkFailure?
    private var encoder: RequestEncoder
    private var changes = IntakeChanges()
    private var outcomes = OutcomeDelivery.Batch()
    private var handBack = HandBackBatch()
    var tally = BurstTally()
    private var notedToken: UInt32 = 0
    private var scratch: [UInt8] = []
    private var gathering: WriteGathering
    private var timer: (any OneShotTimer)?
    private var armedFor: MonotonicInstant?
    var now = MonotonicInstant(nanoseconds: 0)
    /// What it leaves to a successor, once it has failed.
    private var passedOn: [PassedOnPush] = []
    /// How the process ends at the end of this drain.
    private var ending: ExitReason?
    /// What it was asked to end by, if it was.
    private var requested = ExitReason.normal
    var context: ProcessContext<ConnectionMessage>?

    init(_ entry: ConnectionEntry, _ environment: ConnectionEnvironment) {
        self.entry = entry
        self.environment = environment
        gathering = WriteGathering(delay: entry.config.flushDelay)
        encoder = RequestEncoder(authority: entry.authority, tokens: entry.credential.authority)
        machine = ConnectionMachine(settings: entry.settings, process: ProcessID(0), seed: 0)
    }

    // MARK: Behavior

    func started(in context: ProcessContext<ConnectionMessage>) {
        self.context = context
        RuntimeQueue.mark(context.queue)
        var settings = entry.settings
        settings.lastStream = environment.lastStream
        machine = ConnectionMachine(
            settings: settings, process: context.pid, seed: environment.seed(context.pid),
            credentialWasAccepted: entry.credentialWasAccepted)
        timer = context.makeTimer { [weak self] in self?.timerFired() }
    }

    func receive(_ message: ConnectionMessage, in context: ProcessContext<ConnectionMessage>) {
        now = context.time.now
        takeInbox()
        switch message {
        case .start: handle(.start)
        case .pushesWaiting: break
        case .cancel(let record): handle(.cancel(record))
        case .close(let deadline): handle(.close(deadline: deadline))
        case .spread: spread()
        case .credential(let news): handle(.credential(news))
        }
    }

    /// What waits here goes to the other connections of the pool.
    private func spread() {
        guard let pool = entry.pool else { return }
        let pushes = machine.yieldWaiting()
        // What left the queue before them is counted out first.
        updateIntake()
        pool.spread(pushes, from: entry)
    }

    func exitRequested(_ reason: ExitReason, in context: ProcessContext<ConnectionMessage>) {
        // What waits goes to a successor, if there is to be one; else every push ends here.
        guard !reason.isAbnormal, !entry.survives(reason) else { return context.exit(reason) }
        requested = reason
        now = context.time.now
        takeInbox()
        handle(.close(deadline: now))
    }

    /// The end of a drain: write, count, deliver, and look at the clock – once for all that happened in it.
    func flush(in context: ProcessContext<ConnectionMessage>) {
        if gathering.endsDrain(now) { withScratch { buffer in for link in links.values { link.flush(&buffer) } } }
        noteToken(context.pid)
        let gauges = ConnectionGauges(machine)
        if entry.pool != nil { entry.publish(gauges) }
        if entry.watch.publish(&tally, gauges, now) { entry.stands(gauges.phase) }
        changes.undelivered += outcomes.count
        changes.undeliveredBytes += outcomes.bytes
        updateIntake()
        if !outcomes.isEmpty {
            entry.delivery.deliver(outcomes, entry.intake)
            outcomes = OutcomeDelivery.Batch()
        }
        if !handBack.isEmpty { giveBack() }
        if machine.inFlight == 0 { scratch = [] }  // an idle connection keeps no buffer
        armTimer()
        if let ending { context.exit(ending) }
    }

    func terminated(_ reason: ExitReason, in context: ProcessContext<ConnectionMessage>) {
        timer?.cancel()
        now = context.time.now
        passedOn = ending == nil ? surrender() : []
        for link in links.values { link.abandon() }
        links = [:]
        flush(in: context)
        entry.processEnded(context.pid, reason, passingOn: passedOn)
        self.context = nil
    }

    /// Takes from a machine that failed what its successor can go on with.
    private func surrender() -> [PassedOnPush] {
        let lost = links.values.map { link in
            LostLink(id: link.id, streams: lostStreams(link), lastSubmitted: link.lastSubmitted)
        }
        let passedOn = machine.surrender(lost, now, &actions)
        // What a failed machine wants done to its links, and says of them, is moot; its outcomes are not.
        let last = actions
        actions = []
        for action in last {
            switch action {
            case .finish, .post(.late): perform(action)
            default: break
            }
        }
        return passedOn
    }

    // MARK: Events

    func takeInbox() {
        let taken = entry.intake.take()
        if !taken.passedOn.isEmpty { handle(.inherit(taken.passedOn)) }
        if !taken.pushes.isEmpty { handle(.pushes(taken.pushes)) }
        if taken.hasExcess { dropOldest() }
    }

    /// Makes the room that newer pushes were promised; as much as is still needed, now that the numbers are brought up to
    /// date.
    private func dropOldest() {
        updateIntake()
        let excess = entry.intake.takeExcess()
        if !excess.isNone { handle(.dropOldest(excess, entry.intake.load)) }
    }

    private func updateIntake() {
        let inFlight = machine.inFlight
        let unsettled = inFlight + machine.waitingCount + passedOn.count
        entry.intake.update(&changes, inFlight: inFlight, unsettled: unsettled)
    }

    private func timerFired() {
        armedFor = nil
        now = context?.time.now ?? now
        // Bytes that have arrived count before what time brings: a PING's answer may lie there, or a push's.
        for link in links.values { link.readArrived() }
        takeInbox()
        handle(.tick)
    }

    /// Feeds the machine and performs what it decides, in order; what performing brings about is fed in turn.
    func handle(_ event: ConnectionEvent) {
        machine.handle(event, now, into: &actions)
        guard !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        var index = 0
        while index < actions.count {
            perform(actions[index])
            index += 1
        }
        actions.removeAll(keepingCapacity: actions.count < 4_096)
    }

    private func armTimer() {
        guard ending == nil, let wake = [machine.nextWake, gathering.writeAt].compactMap(\.self).min() else { return }
        // A timer that fires early costs one look at the clock; arming anew for every push would cost more.
        if let armedFor, armedFor <= wake { return }
        armedFor = wake
        timer?.arm(at: wake)
    }

    // MARK: Actions

    private func perform(_ action: ConnectionAction) {
        switch action {
        case .dial(let id): dial(id)
        case .submit(let link, let stream, let slot, let record, let streamID, let releases):
            submit(link, stream, slot, record, streamID, releases)
        case .withdraw(let link, let stream, let slot): withdraw(link, stream, slot)
        case .reset(let link, let stream): reset(stream, on: link)
        case .closeLink(let id): closeLink(id)
        case .abandonLink(let id): abandonLink(id)
        case .breakLink(let id, let cause): breakLink(id, cause)
        case .ping(let id, let number): ping(number, on: id)
        case .finish(let record, let outcome, let releases): finish(record, outcome, releases)
        case .post(let fact): post(fact)
        case .renewToken(let issue, let link, let slot, let response): renewToken(issue, link, slot, response)
        case .noteAcceptance: entry.noteAcceptance()
        case .stop(let refusal): ending = refusal.map { .failure($0) } ?? requested
        }
    }

    private func closeLink(_ id: LinkID) {
        guard let link = links.removeValue(forKey: id) else { return }
        note(.closed, id)
        withScratch { link.close(&$0) }
    }

    private func abandonLink(_ id: LinkID) {
        guard let link = links.removeValue(forKey: id) else { return }
        note(.abandoned, id)
        link.abandon()
    }

    private func ping(_ number: UInt64, on id: LinkID) {
        guard let link = links[id] else { return }
        note(.ping, id)
        link.ping(number)
    }

    private func reset(_ stream: Int32, on id: LinkID) {
        guard let link = links[id] else { return }
        tally.reset(Resets(.cancel, stream: stream, isOurs: true), on: id)
        link.reset(stream)
    }

    /// Lends the buffer out. Taken out of `self`, because writing can bring events, and those can close a link.
    private func withScratch(_ body: (inout [UInt8]) -> Void) {
        var buffer = scratch
        scratch = []
        body(&buffer)
        scratch = buffer
    }

    private func dial(_ id: LinkID) {
        guard let context else { return }
        let link = Link(id, to: entry.endpoint, entry.credential.context, owner: self)
        links[id] = link
        note(.dialed, id)
        link.open(environment.connector, context) { [environment, name = entry.name] in
            try environment.makeSession(name)
        }
    }

    private func submit(
        _ id: LinkID, _ stream: Int32, _ slot: Int32, _ record: PushRecord, _ streamID: PushStreamID, _ releases: Bool
    ) {
        if releases { changes.released.append(record) }
        guard let link = links[id] else { return changes.opened.append((record, streamID)) }
        do { try encoder.encode(record.head, now, &link.indexed) } catch {
            // The stream has its number already, and so have those behind it.
            link.skipStream()
            return handle(.unsendable(id, slot: slot, error))
        }
        changes.opened.append((record, streamID))
        tally.wrote(stream, on: id, again: !releases)
        do {
            record.tokenIssue = encoder.tokenIssue
            let given = try link.submit(
                encoder.fields, body: record.push.notification.payload.bytes, slot: slot)
            guard given == stream else { throw StreamMismatch() }
            if gathering.submitted(payload: record.size, now) { withScratch { link.writeNow(&$0) } }
        } catch {
            linkFailed(link, LinkFailure(.http2, "The request could not be written: \(error)"))
        }
    }

    private struct StreamMismatch: Error, CustomStringConvertible {
        var description: String { "The session gave another stream than the connection counted." }
    }

    private func withdraw(_ id: LinkID, _ stream: Int32, _ slot: Int32) {
        if let answer = links[id]?.partialAnswer(of: stream) {
            // A valid status is an answer, also if the rest of it never comes.
            reset(stream, on: id)
            tally.answered(answer.status, on: id)
            return handle(.answered(id, slot: slot, PushResponse(answer)))
        }
        let fate = links[id]?.progress(of: stream) ?? .written
        // Nothing is said of a stream that no frame opened; the others draw on the budget for resets.
        if fate == .notSent { reset(stream, on: id) }
        handle(.withdrawn(slot: slot, fate))
    }

    private func renewToken(_ issue: UInt32, _ link: LinkID, _ slot: Int32, _ response: PushResponse) {
        // A key that cannot sign made no token before either; the answer is all there is to report.
        let isNewer = (try? entry.credential.authority?.renew(after: issue, now)) ?? false
        if isNewer { encoder.askForToken() }
        handle(.tokenChecked(link, slot: slot, isNewer: isNewer, response))
    }

    private func finish(_ record: PushRecord, _ outcome: OutcomeSink.Outcome, _ releases: Bool) {
        if releases { changes.released.append(record) }
        tally.ended(record, outcome, now)
        switch record.outcome {
        case .task(let continuation): continuation.resume(returning: outcome)
        case .thread(let caller): caller.resume(outcome)
        case .completion(let call): outcomes.add(call, outcome, record)
        case .collector(let collector, let ticket): outcomes.add(collector, ticket, outcome, record)
        case .nobody: break
        }
        if case .failure(let error) = outcome { handBack.add(record, error.certainty) }
        if case .success(let response) = outcome { noteFeedback(record, response) }
    }

    private func noteFeedback(_ record: PushRecord, _ response: PushResponse) {
        guard entry.hasFeedback, !response.isAccepted else { return }
        let event = FeedbackEvent.from(
            response, connectionName: entry.name, deviceToken: record.push.deviceToken,
            callerID: record.push.notification.callerID, sentID: record.apnsID,
            answeredAt: environment.wallClock(), context: record.push.context)
        if let event { outcomes.feedback.append(event) }
    }

    private func post(_ fact: ConnectionFact) {
        if case .late(let record, _, .answered(let response)) = fact { noteFeedback(record, response) }
        guard let context else { return }
        entry.watch.order(&tally, now)
        entry.post(fact, context.pid)
    }

    private func noteToken(_ pid: ProcessID) {
        guard encoder.tokenIssue != notedToken else { return }
        notedToken = encoder.tokenIssue
        entry.watch.tokenChanged(notedToken, pid)
    }

    func note(_ fact: LinkFact, _ link: LinkID) {
        guard let context else { return }
        entry.watch.order(&tally, now)
        entry.watch.note(fact, link, context.pid)
    }

    private func giveBack() {
        entry.handBack(handBack)
        handBack = HandBackBatch()
    }
}
