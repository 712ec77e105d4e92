import Dispatch
import ProcessRuntime
import PushHTTP2
import PushLocking
import PushTransport

/// One provider's connection: a process with a TLS transport, an HTTP/2 session and the machine that decides.
///
/// Everything happens on the process's queue. A burst is read until the socket is empty. Its pushes are checked, added
/// to the ledger, and answered with one flush.
final class ProviderConnectionProcess: Behavior {
    typealias Message = ProviderConnectionMessage

    let id: ConnectionID
    let core: SimulatorCore
    let service: Service
    private let channel: any ByteChannel
    private let acceptBehavior: AcceptBehavior
    let activity: ConnectionActivity
    let report: Locked<ConnectionReport>
    let dribbling: DribblingChannel?
    var context: ProcessContext<Message>?
    private var transport: TLSTransport?
    var session: ServerSession?
    var machine: ProviderConnectionMachine?
    private var timer: (any OneShotTimer)?
    /// Starts a delayed handshake.
    private var handshakeTimer: (any OneShotTimer)?
    /// When the connection ends even if the provider has not closed it; nanoseconds.
    private var endsAt: Int64?
    private var endsWhenIdle = false

    var events: [ServerEvent] = []
    var actions: [ProviderConnectionMachine.Action] = []
    private var writer = AnswerWriter()
    private var entries: [LedgerEntry] = []
    private var channelEntries: [ChannelLedgerEntry] = []
    private var answered = 0
    private var fired = 0
    /// Faults that were requested before TLS was established.
    var early: [Fault] = []

    /// When the connection ends unless TLS is established and the provider has begun HTTP/2; nanoseconds.
    var handshakeEndsAt: Int64?

    /// How long a provider may take for the TLS handshake and the first bytes of HTTP/2.
    private static let handshakeTime: Int64 = 10_000_000_000
    /// How long a finished connection waits for the provider to close it. Closing it with unread bytes would reset the
    /// connection and could destroy the last answers.
    private static let linger: Int64 = 1_000_000_000
    /// How much plaintext is collected before it is encrypted: a full TLS record.
    private static let gathered = 16 << 10

    init(
        _ id: ConnectionID, _ channel: any ByteChannel, to service: Service, core: SimulatorCore,
        acceptBehavior: AcceptBehavior, activity: ConnectionActivity, report: Locked<ConnectionReport>
    ) {
        self.id = id
        self.service = service
        dribbling = acceptBehavior.dribble.map { DribblingChannel(channel, $0, time: core.system.time) }
        self.channel = dribbling ?? channel
        self.core = core
        self.acceptBehavior = acceptBehavior
        self.activity = activity
        self.report = report
    }

    // MARK: Behavior

    func started(in context: ProcessContext<Message>) throws {
        self.context = context
        switch acceptBehavior.response {
        case .silent:
            channel.activate(on: context.queue, onEvent: context.callback { [weak self] _ in self?.swallow() })
        case .plainText:
            limitHandshake(context)
            channel.activate(
                on: context.queue, onEvent: context.callback { [weak self] _ in self?.answerInPlainText() })
        case .served, .refused:
            guard acceptBehavior.delay > .zero else { return try shakeHands(context) }
            handshakeTimer = context.makeTimer { [weak self] in
                guard let context = self?.context else { return }
                try self?.shakeHands(context)
            }
            handshakeTimer?.arm(at: context.time.now.advanced(by: acceptBehavior.delay))
        }
    }

    private func shakeHands(_ context: ProcessContext<Message>) throws {
        let transport = TLSTransport(
            channel: channel, engine: try TLSEngine(server: try core.contexts.context(acceptBehavior.tls)))
        self.transport = transport
        // The simulator's own slowness is not the provider's.
        if dribbling == nil { limitHandshake(context) }
        transport.start(on: context.queue, delegate: self)
    }

    /// A network in memory has no strangers, and a test that waits for a timer finds the client's only.
    private func limitHandshake(_ context: ProcessContext<Message>) {
        guard !(channel is MemoryChannel) else { return }
        handshakeEndsAt = context.time.now.nanoseconds + Self.handshakeTime
    }

    func receive(_ message: Message, in context: ProcessContext<Message>) throws {
        if machine == nil, case .perform(let fault) = message {
            if case .cut(let cut) = fault { return end(cut) }
            return early.append(fault)
        }
        followOrders()
        switch message {
        case .ordersChanged: break
        case .perform(let fault): machine?.perform(fault, now: context.time.now.nanoseconds, into: &actions)
        case .release(let count): machine?.release(count, into: &actions)
        case .speak: machine?.speak()
        }
        act()
    }

    func flush(in context: ProcessContext<Message>) throws {
        write()
        activity.note(isAwaited: machine.map { $0.waitingAnswers > 0 } ?? false)
        if core.ledger.isObserved { fillReport() }
        armTimer()
    }

    func exitRequested(_ reason: ExitReason, in context: ProcessContext<Message>) {
        session?.goAway()
        write()
        transport?.close()
        channel.close()
        context.exit(reason)
    }

    func terminated(_ reason: ExitReason, in context: ProcessContext<Message>) {
        enterLedger()
        timer?.cancel()
        handshakeTimer?.cancel()
        transport?.abort()
        channel.abort()
        self.context = nil
        core.ended(id)
    }

    /// Answers like a proxy that mistakes the first bytes for HTTP.
    private func answerInPlainText() {
        swallow()
        _ = AcceptBehavior.plainText.withUnsafeBytes { channel.write($0) }
        end(.finish)
    }

    /// Reads and discards what a provider sends, so that its end is noticed.
    private func swallow() {
        if !channel.discardInput() { end(.finish) }
    }

    // MARK: Events and actions

    func followOrders() {
        guard let version = machine?.orders.version, let orders = core.faults.newer(than: version) else { return }
        machine?.follow(orders)
    }

    func handleEvents() {
        let now = core.system.time.now.nanoseconds
        let wallClock = core.system.time.wallClockMilliseconds
        machine?.isObserved = core.ledger.isObserved
        for event in events {
            switch event {
            case .request(let request) where !request.hasAllHeaders:
                machine?.refuseHeaders(request.stream, into: &actions)
            case .request(let request):
                let push = PushRequest(request, keepingHeaders: core.ledger.takesHeaders)
                machine?.push(
                    request.stream, push, channel: ChannelRequest(request, push, at: service),
                    open: session?.openStreamCount ?? 0, now: now, wallClock: wallClock, into: &actions, fire: fire)
            case .closed(let stream, _): machine?.closed(stream)
            case .pong(let payload): machine?.pong(payload, into: &actions)
            case .bodyRead(let stream, let bytes): machine?.read(bytes, of: stream, now: now)
            default: break
            }
        }
        if !actions.isEmpty, machine?.facts.hasCredential == true { activity.noteRequest(now: now) }
        events.removeAll(keepingCapacity: true)
        act()
    }

    func act() {
        guard let session else { return }
        for action in actions {
            switch action {
            case .enter(let entry): entries.append(entry)
            case .enterChannel(let entry): channelEntries.append(entry)
            case .answer(let answer):
                // nghttp2 would write nothing of half an answer if its reset came before the answer is produced.
                if !writer.write(answer, to: session) { write() } else if answer.reply == nil { answered += 1 }
            case .refuseHeaders(let stream):
                writer.refuseHeaders(of: stream, in: session)
                core.ledger.change { $0.oversizedHeaders += 1 }
            case .reset(let stream, let code):
                session.reset(stream, code: HTTP2ErrorCode(rawValue: code))
                core.ledger.change { $0.resets += 1 }
            case .settings(let change):
                // A session that accepts no more SETTINGS is about to end.
                try? session.submit(
                    ServerSettings(
                        maxConcurrentStreams: change.maxConcurrentStreams, initialWindowSize: change.initialWindowSize))
            case .shutdownNotice: session.shutdownNotice()
            case .ping(let payload):
                // nghttp2 would send it before the GOAWAY that it must confirm.
                write()
                session.ping(payload)
            case .goAway(let lastStream, let code, let debugData):
                core.ledger.note(
                    id,
                    .goAway(
                        code: code, lastStream: lastStream, debugData: String(decoding: debugData, as: UTF8.self)),
                    wallClock: core.system.time.wallClockMilliseconds)
                session.goAway(
                    lastStreamID: lastStream, code: HTTP2ErrorCode(rawValue: code), debugData: debugData)
            case .inject(let bytes): try? session.inject(bytes)
            case .flood(let flood): write(flood, to: session)
            case .ignorePings: session.answersPings = false
            case .keepWindows(let isKeeping, let scope): keepWindows(isKeeping, of: scope, in: session)
            case .giveBack(let update): session.giveBack(update.bytes, to: update.stream)
            case .updateWindows(let bytes, let scope):
                for stream in scope.streams(of: session) { session.updateWindow(of: stream, by: bytes) }
            case .stopReading: channel.stopReading()
            case .silence:
                write()
                machine?.fallSilent()
            case .endWhenIdle: endsWhenIdle = true
            case .cut(let cut):
                write()
                end(cut)
            }
        }
        actions.removeAll(keepingCapacity: true)
    }

    private func write(_ flood: Flood, to session: ServerSession) {
        if flood.kind == .settings {
            // Through the session, because it expects their acknowledgements.
            for _ in 0..<flood.boundedCount { try? session.submit(ServerSettings()) }
        } else {
            try? session.inject(Array(repeatElement(flood.frame, count: flood.boundedCount).joined()))
        }
    }

    private func keepWindows(_ isKeeping: Bool, of scope: WindowScope, in session: ServerSession) {
        if scope.includesConnection { session.keepsConnectionWindow = isKeeping }
        if scope.includesStreams { session.keepsStreamWindows = isKeeping }
        if isKeeping {
            machine?.keeps(scope, unreturned: session.unreturnedBytes, now: core.system.time.now.nanoseconds)
        } else {
            for stream in scope.streams(of: session) { session.giveBack(to: stream) }
        }
    }

    func fire(_ rule: FaultRule.ID, _ moment: FaultMoment) -> Bool {
        guard core.faults.fire(rule, moment) else { return false }
        fired += 1
        return true
    }

    // MARK: Writing

    /// A processed push is in the ledger before its answer is visible.
    private func enterLedger() {
        core.ledger.enter(&channelEntries)
        core.ledger.enter(&entries, answered: answered, faults: fired)
        answered = 0
        fired = 0
    }

    private func write() {
        enterLedger()
        guard let transport, let session, machine?.isMuted == false else { return }
        var buffer: [UInt8] = []
        repeat {
            while session.hasOutput, transport.room > 0 {
                buffer.removeAll(keepingCapacity: true)
                // If it cannot be produced, the connection ends below.
                try? session.produce(into: &buffer, upTo: Self.gathered)
                if buffer.isEmpty { break }
                buffer.withUnsafeBytes { transport.write($0) }
            }
            transport.flush()
            // A flush does not announce the room it creates, so use it here.
        } while !buffer.isEmpty && session.hasOutput && transport.room > 0
        takeClosedStreams(session)
        endIfIdle(session, transport)
    }

    /// Writing an answer ends its stream.
    private func takeClosedStreams(_ session: ServerSession) {
        guard session.hasEvents else { return }
        session.takeEvents(into: &events)
        for case .closed(let stream, _) in events { machine?.closed(stream) }
        events.removeAll(keepingCapacity: true)
    }

    private func endIfIdle(_ session: ServerSession, _ transport: TLSTransport) {
        guard endsAt == nil, transport.unwritten == 0, !session.hasOutput else { return }
        let isThrough = endsWhenIdle && machine?.waitingAnswers == 0 && session.openStreamCount == 0
        guard isThrough || session.failure != nil else { return }
        endsAt = core.system.time.now.nanoseconds + Self.linger
    }

    private func end(_ cut: Fault.Cut) {
        enterLedger()
        switch cut {
        case .finish:
            transport?.flush()
            channel.close()
        case .reset:
            break
        }
        transport?.abort()
        channel.abort()
        exit()
    }

    /// Ends the process, also from inside a call of the transport, which is not a message.
    func exit() {
        context?.perform { context?.exit(.normal) }
    }

    // MARK: Time

    private func isLate(_ now: Int64) -> Bool { handshakeEndsAt.map { $0 <= now } ?? false }

    func armTimer() {
        guard let due = [machine?.nextDue, endsAt, handshakeEndsAt].compactMap(\.self).min() else {
            timer?.disarm(); return
        }
        if timer == nil { timer = context?.makeTimer { [weak self] in self?.wake() } }
        timer?.arm(at: MonotonicInstant(nanoseconds: due))
    }

    private func wake() {
        let now = core.system.time.now.nanoseconds
        machine?.wake(now: now, open: session?.openStreamCount ?? 0, into: &actions, fire: fire)
        act()
        // What arrived in time counts, also if it is read late: by a busy machine, or by a clock that was advanced.
        if isLate(now) { transport?.readArrived() }
        if isLate(now) { return end(.finish) }
        guard let endsAt, endsAt <= now else { return }
        transport?.close()
        channel.close()
        exit()
    }
}
