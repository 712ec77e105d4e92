import ProcessRuntime
import PushHTTP2
import PushTransport
import Testing

@testable import SupervisedPush

/// One random life of a name, with a small model of the world beside it: a room, and the connections that pull from it.
struct RandomLife {
    var room: WaitingRoom
    var connections: [RandomConnection] = []
    /// The one whose turn it is.
    var turn = 0
    /// The most connections so far: what waits stays when a pool shrinks.
    var mostConnections: Int
    let isPool: Bool
    private let settings: ConnectionSettings
    var now = MonotonicInstant(nanoseconds: 0)
    var random: SeededGenerator
    var pushed: UInt64 = 0
    var records: [PushRecord] = []
    var finished: [UInt64: Int] = [:]
    /// What is known of those that were pushed.
    var known: [UInt64: RandomPush] = [:]
    /// The push that was written last to each device, of those that ask for order.
    var lastOrdered: [Int: UInt64] = [:]
    /// Credentials that were offered, and how often one was taken or given back.
    var offers = 0
    /// The numbers of those that were taken or declined.
    var endedOffers: [Int] = []

    init(seed: UInt64, connections: Int, wasAccepted: Bool) {
        var settings = ConnectionSettings()
        random = SeededGenerator(seed: seed)
        settings.maxInFlight = 20
        settings.firstFlight = [1, 3, 8, .max].randomElement(using: &random) ?? .max
        settings.lateWindow = .seconds(3)
        settings.scarceStream = 149
        settings.lastStream = 199
        settings.liveness = PushConnection.Configuration.Liveness(
            quiet: .seconds(20), unanswered: .seconds(2), stall: .seconds(4), idlePing: .seconds(30))
        var roomSettings = RoomSettings()
        roomSettings.maxWaiting = 400
        roomSettings.probePause = .seconds(5)
        roomSettings.givesUpOnRefusal = true
        room = WaitingRoom(roomSettings, budget: ByteBudget(limit: .max), seed: seed)
        if wasAccepted { _ = room.health.judge(PushResponse(status: 200), isProbe: false) }
        self.settings = settings
        isPool = connections > 1
        mostConnections = connections
        for _ in 0..<connections { addConnection() }
    }

    var current: RandomConnection {
        get { connections[turn] }
        _modify { yield &connections[turn] }
    }

    var machine: ConnectionMachine {
        get { connections[turn].machine }
        _modify { yield &connections[turn].machine }
    }

    mutating func step() {
        connections.removeAll { $0.isRetired && $0.hasStopped }
        turn = Int.random(in: connections.indices, using: &random)
        if current.isDown { return restart() }
        if isPool, Int.random(in: 0..<200, using: &random) == 0 { return resize() }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30: push(.reject)
        case 30..<57: endStreams(answer: true)
        case 57..<60: endStreams(answer: true, refusing: true)
        case 60..<68: endStreams(answer: false)
        case 68..<70: answerPings()
        case 70..<77: pass(.milliseconds(Int.random(in: 1...4_000, using: &random)))
        case 77..<80: changeWindows()
        case 80..<88: comeUp()
        case 88..<91: goAway()
        case 91..<94: lose()
        case 94..<96: changeLimit()
        case 96..<97: push(.dropOldest)
        case 97: if Int.random(in: 0..<10, using: &random) == 0 { fail() } else { offerCredential() }
        case 98: answerPings()
        default: cancel()
        }
    }

    /// Closes, and counts: everything ended once.
    mutating func end() {
        openWide()
        let deadline = now.advanced(by: .seconds(1))
        change { room in room.close(deadline) }
        // No other process follows.
        connections.removeAll(where: \.isDown)
        for index in connections.indices {
            turn = index
            apply(.close(deadline: deadline))
        }
        pass(.seconds(1))
        if connections.isEmpty { change { room in room.endAll(.closed) } }
        #expect(connections.allSatisfy { $0.machine.phase == .ended && $0.hasStopped && $0.machine.table.count == 0 })
        #expect(room.table.count == 0 && room.held == 0)
        #expect(finished.count == Int(pushed))
        #expect(finished.values.allSatisfy { $0 == 1 })
        #expect(room.deviceQueues.isEmpty && room.deferredCount == 0)
        #expect(endedOffers.sorted() == Array(0..<offers))
    }

    private mutating func push(_ whenFull: WhenFull) {
        records = []
        for _ in 0..<Int.random(in: 1...30, using: &random) {
            pushed += 1
            let timeout = Duration.milliseconds(Int.random(in: 0...9_000, using: &random))
            let times = PushTimes(
                timeout: timeout,
                timeoutFromCall: Bool.random(using: &random) ? now.advanced(by: timeout) : nil,
                deadline: nil, expiration: nil)
            let device = Int.random(in: 0..<40, using: &random)
            known[pushed] = RandomPush(device: device)
            let push = randomPush(to: device)
            let record = PushRecord(
                id: PushID(number: pushed), push: push,
                head: RequestHead(MachineSamples.head.template, to: push.deviceToken, apnsID: nil), times: times,
                policy: policy())
            records.append(record)
            var refusal: WaitingRoom.Refusal?
            // A push that is called by the pid of one of several is that one's.
            let isBound = isPool && Int.random(in: 0..<8, using: &random) == 0
            let holder = isBound ? current.holder : WaitingRoom.nobody
            change { room in
                refusal = room.offer(record, outcome: .nobody, whenFull: whenFull, to: holder)
            }
            if refusal != nil { finished[pushed, default: 0] += 1 }
        }
        readMail()
    }

    /// Up to five streams of a link end in one burst.
    private mutating func endStreams(answer: Bool, refusing: Bool = false) {
        guard let link = current.open.filter({ !$0.value.isEmpty }).keys.sorted().randomElement(using: &random)
        else { return }
        var news: [LinkNews] = []
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            guard let stream = current.open[link]?.keys.sorted().randomElement(using: &random),
                let slot = current.open[link]?.removeValue(forKey: stream)
            else { break }
            news.append(end(Int32(slot), stream, on: link, answer: answer, refusing: refusing))
            current.windows[link]?.end(stream)
        }
        apply(.burst(LinkID(number: link), news, hasBytes: true))
    }

    private mutating func end(
        _ slot: Int32, _ stream: Int32, on link: UInt32, answer: Bool, refusing: Bool
    ) -> LinkNews {
        guard answer else {
            let code: HTTP2ErrorCode = Bool.random(using: &random) ? .refusedStream : .internalError
            let fate = writeFate(of: stream, on: link, [.written, .unprocessed])
            noteEnd(slot, code == .refusedStream || fate != .written ? .unprocessed : .unknown)
            return .streamClosed(slot: slot, .reset(code), fate)
        }
        let status = [200, 200, 200, 410, 429, 500, 503].randomElement(using: &random) ?? 200
        // What is refused for its provider token was not processed, and may go again over a new link.
        noteEnd(slot, refusing ? .unprocessed : .answered(status))
        return .answered(slot: slot, refusing ? refusal() : PushResponse(status: status))
    }

    private mutating func refusal() -> PushResponse {
        let refusals: [(Int, RejectionReason)] = [
            (403, .invalidProviderToken), (403, .expiredProviderToken), (429, .tooManyProviderTokenUpdates),
        ]
        let (status, reason) = refusals.randomElement(using: &random) ?? refusals[0]
        return MachineHarness.response(status, reason)
    }

    private mutating func pass(_ time: Duration) {
        now = now.advanced(by: time)
        // Losses come first, what else is due at the instant comes with the next tick: at once, and soon there is nothing left.
        var ticks = 0
        repeat {
            for index in connections.indices where !connections[index].isDown {
                turn = index
                apply(.tick)
            }
            change { room in room.tick() }
            readMail()
            ticks += 1
        } while ticks < 10
            && (connections.map(\.nextWake) + [room.nextWake]).contains { $0.map { $0 <= now } ?? false }
        #expect(ticks < 10)
    }

    private mutating func comeUp() {
        guard let link = current.dialed else { return pass(.seconds(2)) }
        if Int.random(in: 0..<4, using: &random) == 0 { return lose(link) }
        current.dialed = nil
        current.limits[link] = Int.random(in: 1...20, using: &random)
        current.windows[link] = RandomWindows(
            firstFlight: settings.firstFlight < settings.maxInFlight ? settings.firstFlight : nil, &random)
        apply(.settings(LinkID(number: link), maxStreams: current.limits[link]))
    }

    private mutating func changeLimit() {
        guard let link = machine.current?.id.number else { return }
        // A lowered limit is checked from the next admission on, so the model keeps the higher one for open streams.
        let limit = Int.random(in: 0...20, using: &random)
        current.limits[link] = max(limit, current.open[link]?.count ?? 0)
        apply(.settings(LinkID(number: link), maxStreams: limit))
    }

    private mutating func goAway() {
        guard let link = machine.current?.id.number else { return }
        let above = (current.open[link] ?? [:]).sorted { $0.key < $1.key }.suffix(3)
        let refuses = Int.random(in: 0..<6, using: &random) == 0
        var news = [LinkNews.goAway(reason: refuses ? "BadCertificateEnvironment" : nil)]
        for (stream, slot) in above where current.open[link]?.removeValue(forKey: stream) != nil {
            noteEnd(Int32(slot), .unprocessed)
            current.windows[link]?.end(stream)
            news.append(.streamClosed(slot: Int32(slot), .reset(.refusedStream), .written))
        }
        apply(.burst(LinkID(number: link), news, hasBytes: true))
    }

    private mutating func lose(_ which: UInt32? = nil) {
        let links = [machine.current?.id.number].compactMap(\.self) + machine.draining.map(\.id.number)
        guard let link = which ?? links.randomElement(using: &random) else { return }
        if current.dialed == link { current.dialed = nil }
        current.pings[link] = nil
        apply(.linkLost(LinkID(number: link), LinkFailure(.socket, "cut"), lostStreams(link)))
    }

    mutating func lostStreams(_ link: UInt32) -> [LostStream] {
        defer { current.windows[link] = nil }
        return (current.open.removeValue(forKey: link) ?? [:]).sorted { $0.key < $1.key }.map { stream, slot in
            let fate = writeFate(of: stream, on: link, [.notSent, .unprocessed, .written])
            noteEnd(Int32(slot), fate == .written ? .unknown : .unprocessed)
            return LostStream(slot: Int32(slot), fate: fate, answer: nil)
        }
    }

    private mutating func answerPings() {
        for (link, ping) in current.pings.sorted(by: { $0.key < $1.key })
        where Int.random(in: 0..<5, using: &random) > 0 {
            current.pings[link] = nil
            apply(.burst(LinkID(number: link), [.pong(ping)], hasBytes: true))
        }
    }

    /// The process fails. Its successor comes at once or later, or never, if the name is closed before.
    private mutating func fail() {
        guard !current.hasStopped else { return }
        let lost = current.open.keys.sorted().map { LostLink(id: LinkID(number: $0), streams: lostStreams($0)) }
        var actions: [ConnectionAction] = []
        // Its successor shows it from the first.
        if let offer = machine.replacement?.offer { endedOffers.append(offer.number) }
        machine.extractPushes(lost, now, into: &actions)
        for action in actions { note(action, &actions) }
        leave()
        current.isDown = true
        readMail()
        if Bool.random(using: &random) { restart() }
    }

    private mutating func restart() {
        let isRetired = current.isRetired
        connections[turn] = join()
        connections[turn].isRetired = isRetired
        if isRetired { retire() }
        apply(.start)
    }

    private mutating func join() -> RandomConnection {
        let credential = ShownCredential(
            refusal: room.health.refusal, isRejectedForGood: room.health.isRejectedForGood,
            isHealthy: room.health.isHealthy)
        let machine = ConnectionMachine(
            settings: settings, process: ProcessID(7), seed: random.next(), credential: credential)
        return RandomConnection(machine: machine, holder: room.holders.join())
    }

    private mutating func addConnection() {
        connections.append(join())
        turn = connections.count - 1
        let members = connections.count { !$0.isRetired }
        mostConnections = max(mostConnections, members)
        change { room in room.members = members }
        apply(.start)
    }

    /// A pool gets one more connection, or one less.
    private mutating func resize() {
        let members = connections.count { !$0.isRetired }
        if members < 4, members < 2 || Bool.random(using: &random) { return addConnection() }
        guard members > 1, !current.isRetired else { return }
        current.isRetired = true
        change { room in room.members = members - 1 }
        retire()
    }

    /// It finishes what it has, and takes nothing any more.
    private mutating func retire() {
        let holder = current.holder
        change { room in room.beginLeaving(holder) }
        apply(.close(deadline: now.advanced(by: .seconds(3))))
    }

    private mutating func offerCredential() {
        let isCertificate = Bool.random(using: &random)
        let isProven = Bool.random(using: &random)
        let offer = CredentialOffer(isCertificate: isCertificate, isProven: isProven, number: offers)
        if !isProven { offers += 1 }
        apply(.credentialOffered(offer))
    }

    private mutating func cancel() {
        guard let record = records.randomElement(using: &random) else { return }
        var isHeld = false
        change { room in isHeld = room.cancel(record) != nil }
        if isHeld { apply(.cancel(record)) } else { readMail() }
    }

    // MARK: What may be sent again

    private mutating func policy() -> PushPolicy {
        let retry = StatusRetryPolicy(
            retries: Int.random(in: 0...3, using: &random), firstDelay: .milliseconds(200), longestDelay: .seconds(1))
        return PushPolicy(
            resend: [.unprocessed, .unprocessed, .never, .resendUnknown].randomElement(using: &random) ?? .never,
            ordered: Int.random(in: 0..<3, using: &random) == 0 ? .perDevice : .byCall,
            statusRetry: Bool.random(using: &random) ? retry : .never)
    }

    /// Checked by hand, because an expectation for each of a million submits takes longer than all the rest.
    mutating func noteSubmit(_ record: PushRecord) {
        record.tokenIssue = 1
        let number = record.id.number
        guard let push = known[number] else { Issue.record("an unknown push \(number)"); return }
        let isAllowed =
            switch push.lastEnd {
            case nil: true
            case .unprocessed: record.policy.resend != .never
            case .unknown: record.policy.resend == .resendUnknown
            case .answered(let status): record.policy.statusRetry.statuses.contains(status: status)
            }
        if !isAllowed || finished[number] != nil { Issue.record("\(number) went again after \(push.lastEnd as Any)") }
        known[number]?.lastEnd = nil
        guard record.policy.ordered == .perDevice else { return }
        // None to the same device that asks for order is written and has no outcome.
        if let other = lastOrdered[push.device], known[other]?.isWritten == true, finished[other] == nil {
            Issue.record("\(number) overtook \(other)")
        }
        lastOrdered[push.device] = number
        known[number]?.isWritten = true
    }

    /// Whether the rest of a push that is half out is held back by a reset: there is a budget for those.
    func wouldReset(_ slot: Int32, _ stream: Int32, on link: LinkID) -> Bool {
        var copy = machine
        var actions: [ConnectionAction] = []
        copy.handle(.withdrawn(slot: slot, .written(.unprocessed)), now, into: &actions)
        let lives = copy.holds(link) && machine.table[slot]?.withdrawal != .closing
        return !lives || actions.contains { if case .reset(link, stream) = $0 { true } else { false } }
    }

    mutating func noteEnd(_ slot: Int32, _ end: RandomPush.End) {
        guard let entry = machine.table[slot] else { return }
        known[entry.record.id.number]?.lastEnd = end
        known[entry.record.id.number]?.isWritten = false
        if end == .unknown, entry.state == .inFlight { known[entry.record.id.number]?.wasUnknown = true }
    }
}
