import HTTP2Session
import Testing
import WireTransport

@testable import SupervisedPush

/// Seeded random lives: whatever happens, each push ends once, no slot leaks, no limit is passed.
@Suite struct RandomEventsTests {
    @Test(arguments: 0..<40) func noLifeBreaksTheInvariants(seed: Int) {
        // Every eighth life begins with a credential that was never accepted, and may be over soon.
        var life = RandomLife(seed: UInt64(seed), wasAccepted: seed % 8 != 0)
        for _ in 0..<2_500 { life.step() }
        life.end()
    }
}

/// One random life of a machine, with a small model of the world beside it.
private struct RandomLife {
    var harness: MachineHarness
    var random: SeededGenerator
    var pushed: UInt64 = 0
    var records: [PushRecord] = []
    var open: [UInt32: [Int32: UInt64]] = [:]
    var limits: [UInt32: Int] = [:]
    var dialed: UInt32?
    /// The PING on a link that the peer has not answered.
    var pings: [UInt32: UInt64] = [:]
    var finished: [UInt64: Int] = [:]

    init(seed: UInt64, wasAccepted: Bool) {
        var settings = ConnectionSettings()
        settings.maxInFlight = 20
        settings.lateWindow = .seconds(3)
        settings.scarceStream = 149
        settings.lastStream = 199
        settings.liveness = LivenessPolicy(
            quiet: .seconds(20), unanswered: .seconds(2), stall: .seconds(4), idlePing: .seconds(30))
        settings.probePause = .seconds(5)
        harness = MachineHarness(settings, wasAccepted: wasAccepted)
        random = SeededGenerator(seed: seed)
        apply(.start)
    }

    mutating func step() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30: push()
        case 30..<57: endStream(answer: true)
        case 57..<60: endStream(answer: true, refusing: true)
        case 60..<68: endStream(answer: false)
        case 68..<70: answerPings()
        case 70..<78: pass(.milliseconds(Int.random(in: 1...4_000, using: &random)))
        case 78..<88: comeUp()
        case 88..<91: goAway()
        case 91..<94: lose()
        case 94..<96: changeLimit()
        case 96..<97: dropOldest()
        case 97..<99: answerPings()
        default: cancel()
        }
    }

    /// Closes, and counts: everything ended once.
    mutating func end() {
        apply(.close(deadline: harness.now.advanced(by: .seconds(1))))
        pass(.seconds(1))
        #expect(harness.machine.phase == .ended)
        #expect(harness.machine.table.count == 0)
        #expect(finished.count == Int(pushed))
        #expect(finished.values.allSatisfy { $0 == 1 })
    }

    private mutating func apply(_ event: ConnectionEvent) {
        var actions: [ConnectionAction] = []
        harness.machine.handle(event, harness.now, into: &actions)
        var index = 0
        while index < actions.count {
            note(actions[index], &actions)
            index += 1
        }
        let machine = harness.machine
        #expect(machine.inFlight >= 0)
        let links = [machine.current].compactMap(\.self) + machine.draining
        for link in links { #expect(link.open == open[link.id.number]?.count ?? 0) }
    }

    private mutating func note(_ action: ConnectionAction, _ actions: inout [ConnectionAction]) {
        switch action {
        case .dial(let link): dialed = link.number
        case .submit(let link, let stream, let slot, _, _, _):
            open[link.number, default: [:]][stream] = UInt64(slot)
            #expect(open[link.number, default: [:]].count <= limits[link.number] ?? 0)
        case .withdraw(let link, let stream, let slot):
            let fate: WriteFate =
                [.notSent, .unprocessed, .written, .written].randomElement(using: &random) ?? .written
            if fate != .written { open[link.number]?[stream] = nil }
            harness.machine.handle(.withdrawn(slot: slot, fate), harness.now, into: &actions)
        case .reset(let link, let stream): open[link.number]?[stream] = nil
        case .closeLink(let link), .abandonLink(let link):
            open[link.number] = nil
            pings[link.number] = nil
            if dialed == link.number { dialed = nil }
        case .renewToken(_, let link, let slot, let response):
            let isNewer = Int.random(in: 0..<4, using: &random) > 0
            harness.machine.handle(
                .tokenChecked(link, slot: slot, isNewer: isNewer, response), harness.now, into: &actions)
        case .ping(let link, let ping):
            #expect(pings[link.number] == nil)
            pings[link.number] = ping
        case .breakLink(let link, let cause):
            #expect(pings[link.number] != nil)
            pings[link.number] = nil
            harness.machine.handle(
                .linkLost(link, cause, lostStreams(link.number)), harness.now, into: &actions)
        case .finish(let record, _, _): finished[record.id.number, default: 0] += 1
        case .post, .noteAcceptance, .stop: break
        }
    }

    private mutating func push() {
        let count = Int.random(in: 1...30, using: &random)
        let new = (0..<count).map { _ in
            pushed += 1
            let timeout = Duration.milliseconds(Int.random(in: 0...9_000, using: &random))
            return harness.record(
                pushed,
                PushTimes(
                    timeout: timeout,
                    timeoutFromCall: Bool.random(using: &random) ? harness.now.advanced(by: timeout) : nil,
                    deadline: nil, expiration: nil))
        }
        records = new
        apply(.pushes(new))
    }

    private mutating func endStream(answer: Bool, refusing: Bool = false) {
        guard let link = open.filter({ !$0.value.isEmpty }).keys.sorted().randomElement(using: &random),
            let stream = open[link]?.keys.sorted().randomElement(using: &random),
            let slot = open[link]?.removeValue(forKey: stream)
        else { return }
        if answer {
            apply(.answered(LinkID(number: link), slot: Int32(slot), refusing ? refusal() : PushResponse(status: 200)))
        } else {
            let code: HTTP2ErrorCode = Bool.random(using: &random) ? .refusedStream : .internalError
            apply(.streamClosed(LinkID(number: link), slot: Int32(slot), .reset(code), .written))
        }
    }

    private mutating func refusal() -> PushResponse {
        let refusals: [(Int, RejectionReason)] = [
            (403, .invalidProviderToken), (403, .expiredProviderToken), (429, .tooManyProviderTokenUpdates),
        ]
        let (status, reason) = refusals.randomElement(using: &random) ?? refusals[0]
        return MachineHarness.response(status, reason)
    }

    private mutating func pass(_ time: Duration) {
        harness.now = harness.now.advanced(by: time)
        apply(.tick)
        // Losses come first, what else is due at the instant comes with the next tick: at once, and soon there is nothing left.
        var ticks = 0
        while let wake = harness.machine.nextWake, wake <= harness.now, ticks < 10 {
            apply(.tick)
            ticks += 1
        }
        #expect(ticks < 10)
    }

    private mutating func comeUp() {
        guard let link = dialed else { return pass(.seconds(2)) }
        if Int.random(in: 0..<4, using: &random) == 0 { return lose(link) }
        dialed = nil
        limits[link] = Int.random(in: 1...20, using: &random)
        apply(.linkUp(LinkID(number: link), maxStreams: limits[link]))
    }

    private mutating func changeLimit() {
        guard let link = harness.machine.current?.id.number else { return }
        // A lowered limit is checked from the next admission on, so the model keeps the higher one for open streams.
        let limit = Int.random(in: 0...20, using: &random)
        limits[link] = max(limit, open[link]?.count ?? 0)
        apply(.limit(LinkID(number: link), maxStreams: limit))
    }

    private mutating func goAway() {
        guard let link = harness.machine.current?.id.number else { return }
        let above = (open[link] ?? [:]).sorted { $0.key < $1.key }.suffix(3)
        let refuses = Int.random(in: 0..<6, using: &random) == 0
        apply(.goAway(LinkID(number: link), reason: refuses ? "BadCertificateEnvironment" : nil))
        for (stream, slot) in above where open[link]?.removeValue(forKey: stream) != nil {
            apply(.streamClosed(LinkID(number: link), slot: Int32(slot), .reset(.refusedStream), .written))
        }
    }

    private mutating func lose(_ which: UInt32? = nil) {
        let links = [harness.machine.current?.id.number].compactMap(\.self) + harness.machine.draining.map(\.id.number)
        guard let link = which ?? links.randomElement(using: &random) else { return }
        if dialed == link { dialed = nil }
        pings[link] = nil
        apply(.linkLost(LinkID(number: link), LinkFailure(.socket, "cut"), lostStreams(link)))
    }

    private mutating func lostStreams(_ link: UInt32) -> [LostStream] {
        (open.removeValue(forKey: link) ?? [:]).sorted { $0.key < $1.key }.map { _, slot in
            let fate: WriteFate = [.notSent, .unprocessed, .written].randomElement(using: &random) ?? .written
            return LostStream(slot: Int32(slot), fate: fate, answer: nil)
        }
    }

    private mutating func answerPings() {
        for (link, ping) in pings.sorted(by: { $0.key < $1.key }) where Int.random(in: 0..<5, using: &random) > 0 {
            pings[link] = nil
            apply(.received(LinkID(number: link)))
            apply(.pong(LinkID(number: link), ping))
        }
    }

    private mutating func dropOldest() {
        let count = Int.random(in: 0...10, using: &random)
        apply(
            .dropOldest(
                Intake.Excess(count: count, bytes: 0), PushError.Load(inFlight: 0, waiting: count, limit: 1)))
    }

    private mutating func cancel() {
        if let record = records.randomElement(using: &random) { apply(.cancel(record)) }
    }
}
