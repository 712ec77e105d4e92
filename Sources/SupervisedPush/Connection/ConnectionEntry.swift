import Locking
import Logging
import WireTransport

/// A connection as its callers know it: it outlives its processes. The name, the intake and the subscribers belong to it.
final class ConnectionEntry: Sendable {
    private struct State {
        /// The live process; nil between two processes and after the end.
        var process: Address<ConnectionMessage>?
        var latestPid: ProcessID?
        var hasEnded = false
        var isClosing = false
        var closers: [CheckedContinuation<HandBack, Never>] = []
        var handBack = HandBack()
        var credentialWasAccepted = false
        /// Why the last process ended, if APNs refused the credential.
        var refusal: CredentialRefusal?
    }

    let name: String?
    let childID: String
    let config: ConnectionConfig
    let credential: ResolvedCredential
    let endpoint: Endpoint
    let settings: ConnectionSettings
    /// What holds for pushes whose options say nothing else.
    let policy: PushPolicy
    let intake: Intake
    let hub: LifecycleHub
    let delivery: OutcomeDelivery
    private let feedback: FeedbackDelivery?
    let watch: ConnectionWatch
    private let state = Locked(State())
    private let onEnd: @Sendable (ConnectionEntry) -> Void

    init(
        name: String?, childID: String, config: ConnectionConfig, credential: ResolvedCredential,
        owner: Mailbox<LifecycleMessage>?, time: any TimeSource, onEnd: @escaping @Sendable (ConnectionEntry) -> Void
    ) {
        self.name = name
        self.childID = childID
        self.config = config
        self.credential = credential
        self.onEnd = onEnd
        endpoint = Endpoint(host: config.effectiveHost, port: config.port)
        settings = ConnectionSettings(config)
        policy = PushPolicy(config)
        intake = Intake(bounds: .init(maxWaiting: config.maxWaiting, maxWaitingBytes: config.maxWaitingBytes))
        let hub = LifecycleHub(owner: owner)
        self.hub = hub
        let watch = ConnectionWatch(name: name, config: config, time: time)
        self.watch = watch
        feedback = config.feedback.map { handler in
            FeedbackDelivery(handler: handler, logger: config.logger) { [weak hub] count in
                watch.feedbackDropped(count)
                hub?.feedbackOverflowed(name, count)
            }
        }
        delivery = OutcomeDelivery(label: "push.delivery.\(childID)", feedback: feedback)
    }

    /// The value of `:authority`: without the port where it is the scheme's own (RFC 9110 section 4.2.2).
    var authority: String { endpoint.port == 443 ? endpoint.host : "\(endpoint)" }

    var hasFeedback: Bool { feedback != nil }

    /// The live process; nil between two processes and after the end.
    var pid: ProcessID? { state.withLock { $0.process?.pid } }

    /// The live process, or the last one.
    var latestPid: ProcessID? { state.withLock { $0.latestPid } }

    /// APNs needs a topic in token mode, and with a certificate that names several.
    var needsTopic: Bool { credential.identity.map { !$0.topics.isEmpty } ?? true }

    /// Whether APNs accepted a push with the credential, in this process or one before it.
    var credentialWasAccepted: Bool { state.withLock { $0.credentialWasAccepted } }

    func noteAcceptance() { state.withLock { $0.credentialWasAccepted = true } }

    // MARK: The processes

    func processBegan(_ process: Address<ConnectionMessage>) {
        state.withLock {
            $0.process = process
            $0.latestPid = process.pid
        }
        hub.began(process.pid)
        watch.processBegan(process.pid)
        process.send(.start)
        intake.attach(process)
    }

    /// Sends the live process a message; false if there is none.
    func tell(_ message: ConnectionMessage) -> Bool { state.withLock { $0.process }?.send(message) ?? false }

    /// A process ended. Its successor goes on, unless it ended by itself or is not to be restarted.
    func processEnded(_ pid: ProcessID, _ reason: ExitReason, passingOn pushes: [PassedOnPush]) {
        let isLast = state.withLock { state in
            state.process = nil
            state.refusal = reason.credentialRefusal
            if case .normal = reason { return true }
            if state.refusal != nil { return true }
            return state.isClosing
        }
        intake.detach(passingOn: pushes)
        watch.processEnded(pid, reason)
        hub.post(.down(pid: pid, reason: reason), phase: .down)
        if isLast { finish(givingUp: reason.credentialRefusal != nil && name != nil) }
    }

    /// The end of the connection: the name becomes free, and whatever is still here is answered.
    func finish(givingUp: Bool) {
        let (wasFirst, refusal, isClosing) = state.withLock { state in
            defer { state.hasEnded = true }
            return (!state.hasEnded, state.refusal, state.isClosing)
        }
        guard wasFirst else { return }
        for record in intake.drain() {
            if case .nobody = record.outcome { state.withLock { $0.handBack.add(record.push, .notSent) } }
            let error = refusal.map { PushError.credentialRefused(record.id, $0) } ?? .closed(record.id)
            watch.ended(error)
            record.outcome.resumeAtOnce(.failure(error))
        }
        let givingUp = givingUp && !isClosing
        watch.finish(givingUp: givingUp)
        onEnd(self)
        if givingUp { hub.post(.givenUp(name: name)) }
        hub.end()
        let (closers, handBack) = state.withLock { state in
            defer { state.closers = [] }
            return (state.closers, state.handBack)
        }
        delivery.afterwards { [feedback] in
            feedback?.close()
            for closer in closers { closer.resume(returning: handBack) }
        }
    }

    // MARK: Closing

    /// Refuses further pushes; the process is told by the caller. False if it has ended already.
    func beginClosing() -> Bool {
        intake.close()
        return state.withLock { state in
            state.isClosing = true
            return !state.hasEnded
        }
    }

    /// Returns once the connection has ended and its last completion has returned.
    func closed() async -> HandBack {
        await withCheckedContinuation { continuation in
            let handBack = state.withLock { state -> HandBack? in
                if state.hasEnded && state.closers.isEmpty { return state.handBack }
                state.closers.append(continuation)
                return nil
            }
            if let handBack { continuation.resume(returning: handBack) }
        }
    }

    // MARK: What the process tells

    func post(_ fact: ConnectionFact, _ pid: ProcessID) {
        watch.note(fact, pid)
        switch fact {
        case .connectionUp(let generation):
            hub.post(.connectionUp(pid: pid, name: name, generation: generation), phase: .up, generation: generation)
        case .reconnecting(let attempt, let delay, let cause):
            hub.post(
                .reconnecting(pid: pid, name: name, attempt: attempt, delay: delay, cause: cause), phase: .down)
        case .draining(let generation, let reason):
            hub.post(
                .draining(pid: pid, name: name, generation: generation, reason: reason), phase: .dialing)
        case .suspended(let refusal, let nextProbe):
            hub.post(
                .suspended(pid: pid, name: name, cause: refusal, nextProbe: nextProbe), phase: .suspended)
        case .credentialRefused:
            break  // What is told is the end of the process.
        case .late(let record, let streamID, let outcome):
            hub.post(
                .lateResponse(LateResponse(record, streamID, outcome, name: name, pid)))
        }
    }

    /// Gives pushes back: to `close` while the connection closes, else to the owner's mailbox.
    func handBack(_ pushes: HandBack, pid: ProcessID?) {
        let isClosing = state.withLock { state in
            if state.isClosing { state.handBack.append(pushes) }
            return state.isClosing
        }
        guard !isClosing, let pid else { return }
        if !hub.handBack(.handedBack(pid: pid, name: name, pushes)) { watch.handBackLost(pushes, pid) }
    }
}
