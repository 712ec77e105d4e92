import ProcessRuntime

/// The decisions of a connection, without I/O: pushes and orders go in, actions come out, in the order in which they
/// must be performed.
///
/// A push passes the active rules, then the checks. Its answer is sent, delayed, held, or replaced by a reset. After
/// GOAWAY, streams above last-stream-id are ignored and, depending on its ending, the connection ends once everything
/// below was answered.
struct ProviderConnectionMachine {
    enum Action {
        /// The push was processed: add it to the ledger.
        case enter(LedgerEntry)
        /// The broadcast, or the request about channels, was processed: add it to the ledger.
        indirect case enterChannel(ChannelLedgerEntry)
        case answer(Answer)
        /// Status 431: more header bytes than were announced.
        case refuseHeaders(Int32)
        case reset(stream: Int32, code: UInt32)
        case settings(SettingsChange)
        case shutdownNotice
        case ping(UInt64)
        case goAway(lastStream: Int32, code: UInt32, debugData: [UInt8])
        case cut(Fault.Cut)
        /// Raw bytes that bypass the session.
        case inject([UInt8])
        case flood(Flood)
        case ignorePings
        /// Keep what is read in these windows, and report what they have; or give it back as it is read.
        case keepWindows(Bool, of: WindowScope)
        /// Give back bytes that were kept.
        case giveBack(WindowKeeper.Update)
        /// WINDOW_UPDATE for the connection, or for each stream with an unfinished request.
        case updateWindows(by: Int, of: WindowScope)
        case stopReading
        /// Write what is queued, then nothing any more.
        case silence
        /// The connection may end as soon as nothing is left to write and no stream is open.
        case endWhenIdle
    }

    typealias Fire = ConnectionRules.Fire

    let id: ConnectionID
    let policy: CheckPolicy
    /// The ledger keeps whole requests.
    let keepsRequests: Bool
    /// An observer follows, who sees more than the ledger keeps.
    var isObserved = false
    /// An export of metrics counts the pushes.
    var countsMetrics = false
    private(set) var facts: ConnectionFacts
    private(set) var orders: Orders
    /// Nothing is written.
    private(set) var isMuted = false
    /// Nothing is written and nothing is processed any more.
    private(set) var isDeaf = false
    /// Nothing is read any more.
    private(set) var isBlind = false
    /// The connection was cut; everything else is ignored.
    private(set) var isOver = false

    var generator: SeededGenerator
    private var rules: ConnectionRules
    private var isHolding = false
    private var wasMutedByFault = false
    private(set) var announcedLimit: Int
    private(set) var pushes = 0
    /// Pushes finished in this burst that the session still counts as open.
    private var finishedInBurst = 0
    private var highestProcessed: Int32 = 0
    private(set) var lastStream: Int32 = .max
    private var isDraining = false
    private(set) var announced: (goAway: GoAway, due: Int64)?
    private var held: [Answer] = []
    private var delayed = DelayedAnswers()
    private var windows = WindowKeeper()
    /// What an observer keeps of the requests.
    var keeper = RequestKeeper()

    /// The payload of the PING that shows when an announced GOAWAY was seen: "goodbye!".
    private static let farewell: UInt64 = 0x676F_6F64_6279_6521
    /// How long to wait for it: a client without open streams need not answer.
    private static let farewellTime: Int64 = 1_000_000_000

    init(
        _ id: ConnectionID, _ authentication: Authentication, policy: CheckPolicy, orders: Orders, seed: UInt64,
        now: Int64 = 0, keepsRequests: Bool = false
    ) {
        self.id = id
        self.policy = policy
        self.keepsRequests = keepsRequests
        self.orders = orders
        rules = ConnectionRules(id, seed: seed, now: now)
        facts = ConnectionFacts(authentication, policy: policy)
        announcedLimit = facts.streamLimit
        generator = SeededGenerator(seed: seed &+ UInt64(id.number) &* 0xD129_0D3B_1F4C_9A5D)
        follow(orders)
    }

    /// How many answers are delayed or held.
    var waitingAnswers: Int { held.count + delayed.count }

    /// When the machine must be woken at the latest.
    var nextDue: Int64? {
        [delayed.nextDue, announced?.due, rules.nextDue, windows.nextDue].lazy.compactMap(\.self).min()
    }

    // MARK: Orders

    /// Adopts the current orders.
    mutating func follow(_ orders: Orders) {
        self.orders = orders
        rules.follow(orders)
        isHolding = orders.held.includes(id)
        if orders.deaf.contains(id) { fallDeaf() }
        isMuted = isDeaf || wasMutedByFault || orders.muted.includes(id)
    }

    private mutating func fallDeaf() {
        isDeaf = true
        isMuted = true
        held.removeAll()
        delayed.removeAll()
    }

    /// Ends a mute by a fault. A mute by the orders remains.
    mutating func speak() {
        wasMutedByFault = false
        follow(orders)
    }

    /// Mutes the connection. The process has already written what was queued.
    mutating func fallSilent() {
        wasMutedByFault = true
        isMuted = true
    }

    /// Sends the oldest held answers, or all of them.
    mutating func release(_ count: Int?, into actions: inout [Action]) {
        let released = held.prefix(count ?? held.count)
        held.removeFirst(released.count)
        for answer in released where !isOver { emit(answer, into: &actions) }
    }

    /// The connection is established: applies the rules for this moment. A provider certificate may end it at once.
    mutating func connected(
        refusing reason: Refusal?, now: Int64, into actions: inout [Action], fire: Fire
    ) {
        if let reason { begin(GoAway(reason: reason.rawValue), now: now, into: &actions) }
        for entry in rules.forConnected where !isOver && rules.takesEffect(entry, now, open: 0, fire) {
            perform(entry.rule.fault, now: now, into: &actions)
        }
    }

    /// Performs a fault on the connection. Faults of single pushes have no effect here.
    mutating func perform(_ fault: Fault, now: Int64, into actions: inout [Action]) {
        switch fault {
        case .delay, .refuse, .resetStream, .hold, .cutUnprocessed, .halfAnswer, .malformedAnswer, .retryAfter,
            .oversizedHeaders, .oversizedBody, .afterAnswer, .pushPromise, .delayHandshake, .dribbleHandshake, .tls,
            .plainText:
            break
        case .goAway(let goAway): begin(goAway, now: now, into: &actions)
        case .cut(let cut): end(cut, into: &actions)
        case .settings(let change):
            if let limit = change.maxConcurrentStreams {
                announcedLimit = limit
                facts.fullStreamLimit = limit
                facts.streamLimit = limit
            }
            actions.append(.settings(change))
        case .mute:
            wasMutedByFault = true
            isMuted = true
        case .deafen: fallDeaf()
        case .stopReading:
            isBlind = true
            actions.append(.stopReading)
        case .ignorePings: actions.append(.ignorePings)
        case .window(let pace, let scope):
            windows.change(pace, of: scope)
            actions.append(.keepWindows(pace != .prompt, of: scope))
        case .windowUpdate(let bytes, let scope): actions.append(.updateWindows(by: bytes, of: scope))
        case .brokenFrame(let frame): actions.append(.inject(frame.bytes))
        case .addTopic(let topic): policy.added.add(topic)
        case .flood(let flood): if !flood.needsPush { actions.append(.flood(flood)) }
        }
    }

    // MARK: Windows

    /// The windows are kept from now on. The bytes that were read before, by stream; 0 is the connection.
    mutating func keeps(_ scope: WindowScope, unreturned: [Int32: Int], now: Int64) {
        windows.begin(scope, unreturned: unreturned, now: now)
    }

    /// Bytes of a body were read while windows are kept.
    mutating func read(_ bytes: Int, of stream: Int32, now: Int64) {
        windows.read(bytes, of: stream, now: now)
    }

    // MARK: GOAWAY

    private mutating func begin(_ goAway: GoAway, now: Int64, into actions: inout [Action]) {
        guard goAway.isAnnounced else { return finish(goAway, into: &actions) }
        announced = (goAway, now + Self.farewellTime)
        isDraining = goAway.refusesPushes
        actions += [.shutdownNotice, .ping(Self.farewell)]
    }

    /// The provider answered a PING.
    mutating func pong(_ payload: UInt64, into actions: inout [Action]) {
        guard payload == Self.farewell, let goAway = announced?.goAway else { return }
        announced = nil
        finish(goAway, into: &actions)
    }

    private mutating func finish(_ goAway: GoAway, into actions: inout [Action]) {
        let wanted =
            switch goAway.lastStream {
            case .processed: highestProcessed
            // The provider's streams are odd; nghttp2 refuses to name another.
            case .exactly(let stream): stream <= 0 ? 0 : stream - (stream.isMultiple(of: 2) ? 1 : 0)
            }
        // It may be lowered, but never raised (RFC 9113, section 6.8).
        lastStream = min(lastStream, wanted)
        isDraining = goAway.refusesPushes
        actions.append(.goAway(lastStream: lastStream, code: goAway.code, debugData: goAway.debugData))
        switch goAway.ending {
        case .whenAnswered: actions.append(.endWhenIdle)
        case .cut(let cut): end(cut, into: &actions)
        case .leftOpen: break
        }
    }

    private mutating func end(_ cut: Fault.Cut, into actions: inout [Action]) {
        isOver = true
        actions.append(.cut(cut))
    }

    // MARK: Pushes

    /// Handles a complete request.
    ///
    /// - Parameters:
    ///   - channel: The parts of a broadcast or a request about channels; nil for a device push.
    ///   - now: The monotonic clock, in nanoseconds.
    ///   - wallClock: Milliseconds since 1970.
    ///   - open: How many pushes of the connection have no answer in the session, including this one.
    mutating func push(
        _ stream: Int32, _ request: PushRequest, channel: ChannelRequest? = nil, open: Int = 1, now: Int64,
        wallClock: Int64, into actions: inout [Action], fire: Fire
    ) {
        guard !isDeaf, !isBlind, !isOver, stream <= lastStream else { return }
        pushes += 1
        if actions.isEmpty { finishedInBurst = 0 }
        let faults =
            rules.isEmpty
            ? [] : rules.faults(for: request, stream, number: pushes, open: open - finishedInBurst, now, fire)
        if let cut = faults.lazy.compactMap(\.earlyCut).first { return end(cut, into: &actions) }
        if faults.contains(.resetStream(code: 7)) {
            finishedInBurst += 1
            actions.append(.reset(stream: stream, code: 7))
            for fault in faults { perform(fault, now: now, into: &actions) }
            return
        }
        let injected = faults.lazy.compactMap(\.refusal).first
        let whole = channel == nil ? whole(request, wallClock) : nil
        let (verdict, reply) = judge(
            stream, request: request, channel: channel, whole: whole, injecting: injected, now: now,
            wallClock: wallClock, into: &actions)
        highestProcessed = max(highestProcessed, stream)
        announceLimit(into: &actions)
        for fault in faults { perform(fault, now: now, into: &actions) }
        var answer =
            if let channel, let reply {
                self.answer(on: stream, to: channel, verdict: verdict, reply: reply)
            } else {
                self.answer(on: stream, to: request, verdict: verdict)
            }
        if isObserved, let whole { describe(whole, request: request, verdict: verdict, answeredID: answer.messageID) }
        if !faults.isEmpty { answer.deviations = faults.filter(\.shapesAnswer) }
        give(answer, faults, now, into: &actions)
        if let most = policy.strictness.refusalsUntilGoAway, facts.refusals >= most, lastStream == .max {
            begin(GoAway(), now: now, into: &actions)
        }
    }

    /// Handles a complete request whose header list is longer than was announced: it is not processed.
    mutating func refuseHeaders(_ stream: Int32, into actions: inout [Action]) {
        guard !isDeaf, !isBlind, !isOver, stream <= lastStream else { return }
        actions.append(.refuseHeaders(stream))
    }

    /// Checks a request and adds it to the ledger.
    private mutating func judge(
        _ stream: Int32, request: PushRequest, channel: ChannelRequest?, whole: LedgerEntry.Whole?,
        injecting injected: Refusal?, now: Int64, wallClock: Int64, into actions: inout [Action]
    ) -> (Verdict, ChannelReply?) {
        guard let channel else {
            // Made at its only use, so that it is moved and not copied: every push takes this path.
            let verdict = RequestChecks.judge(
                Examination(
                    request: request, policy: policy, now: now, wallClock: wallClock, isDraining: isDraining,
                    injected: injected), &facts)
            actions.append(
                .enter(
                    LedgerEntry(
                        connection: id, stream: stream, token: request.deviceToken, message: request.messageID,
                        verdict: verdict, whole: whole, bearer: whole == nil ? nil : request.bearer,
                        delivery: countsMetrics ? .init(request, wallClock: wallClock) : nil)))
            return (verdict, nil)
        }
        let examination = Examination(
            request: request, policy: policy, now: now, wallClock: wallClock, isDraining: isDraining, injected: injected
        )
        let (verdict, reply) = ChannelChecks.judge(ChannelExamination(channel, examination), &facts)
        actions.append(
            .enterChannel(
                ChannelLedgerEntry(
                    connection: id, stream: stream, request: channel, push: request, verdict: verdict, reply: reply,
                    wallClock: wallClock)))
        return (verdict, reply)
    }

    private mutating func announceLimit(into actions: inout [Action]) {
        guard facts.streamLimit != announcedLimit else { return }
        announcedLimit = facts.streamLimit
        actions.append(.settings(SettingsChange(maxConcurrentStreams: announcedLimit)))
    }

    private mutating func give(_ answer: Answer, _ faults: [Fault], _ now: Int64, into actions: inout [Action]) {
        if isDeaf || isOver {
            return
        } else if let code = faults.lazy.compactMap(\.resetCode).first {
            finishedInBurst += 1
            actions.append(.reset(stream: answer.stream, code: code))
        } else if isHolding || faults.contains(.hold) {
            held.append(answer)
        } else if let latency = faults.lazy.compactMap(\.latency).first ?? orders.latency {
            delayed.add(answer, due: now + latency.draw(&generator))
        } else {
            emit(answer, into: &actions)
        }
    }

    /// Sends an answer and, for half an answer, what replaces the rest.
    private mutating func emit(_ answer: Answer, into actions: inout [Action]) {
        finishedInBurst += 1
        actions.append(.answer(answer))
        for case .halfAnswer(let half) in answer.deviations {
            switch half.ending {
            case .cut(let cut): return end(cut, into: &actions)
            case .reset where half.extent == .frame, .nothing where half.extent == .frame:
                actions.append(.silence)
            case .reset(let code): actions.append(.reset(stream: answer.stream, code: code))
            case .nothing: break
            }
        }
    }

    /// Time passed: sends due answers, applies due rules, and sends an announced GOAWAY if the provider did not answer
    /// in time.
    mutating func wake(now: Int64, open: Int = 0, into actions: inout [Action], fire: Fire = { _, _ in true }) {
        while !isOver, let answer = delayed.takeNext(now) { emit(answer, into: &actions) }
        for update in windows.takeDue(now) where !isDeaf && !isOver { actions.append(.giveBack(update)) }
        while let next = rules.takeDue(now) {
            guard !isDeaf, !isOver, rules.takesEffect(next, now, open: open, fire) else { continue }
            perform(next.rule.fault, now: now, into: &actions)
        }
        if let (goAway, due) = announced, due <= now, !isOver {
            announced = nil
            finish(goAway, into: &actions)
        }
    }

    /// The stream ended: drops its answer.
    mutating func closed(_ stream: Int32) {
        windows.closed(stream)
        guard waitingAnswers > 0 else { return }
        held.removeAll { $0.stream == stream }
        delayed.remove(stream)
    }
}
