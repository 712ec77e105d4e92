import PushHTTP2
import Testing

@testable import PushSimulator

@Suite struct ConnectionMachineTests {
    static let second: Int64 = 1_000_000_000

    private func machine(_ orders: Orders = Orders(), seed: UInt64 = 1) throws -> ProviderConnectionMachine {
        let certificate = ProviderCertificate(subjectUID: "com.example.app", environments: [.production])
        return ProviderConnectionMachine(
            ConnectionID(1), .certificate(certificate), policy: try CheckHarness().policy, orders: orders, seed: seed)
    }

    private func request(_ device: String = CheckHarness.token) -> PushRequest {
        var request = PushRequest()
        for (name, value) in [(":method", "POST"), (":path", "/3/device/" + device), ("apns-topic", "com.example.app")]
        {
            request.add(name: Octets(Array(name.utf8)), value: Octets(Array(value.utf8)))
        }
        request.bodyCount = 2
        return request
    }

    /// Short words for what was done.
    private func words(_ actions: [ProviderConnectionMachine.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .enter(let entry): "enter \(entry.stream)"
            case .enterChannel(let entry): "enter \(entry.stream)"
            case .answer(let answer): "answer \(answer.stream) \(answer.verdict.status)"
            case .reset(let stream, let code): "reset \(stream) \(code)"
            case .settings(let change): "limit \(change.maxConcurrentStreams ?? -1)"
            case .shutdownNotice: "notice"
            case .ping: "ping"
            case .goAway(let last, let code, _): "goaway \(last) \(code)"
            case .cut(let cut): "cut \(cut)"
            case .inject(let bytes): "inject \(bytes.count)"
            case .flood(let flood): "flood \(flood.kind) \(flood.count)"
            case .ignorePings: "ignore pings"
            case .stopReading: "stop reading"
            case .refuseHeaders(let stream): "refuse headers \(stream)"
            case .keepWindows(let isKeeping, let scope): "\(isKeeping ? "keep" : "return") \(scope)"
            case .giveBack(let update): "give \(update.bytes) to \(update.stream)"
            case .updateWindows(let bytes, let scope): "update \(scope) by \(bytes)"
            case .silence: "silence"
            case .endWhenIdle: "end when idle"
            }
        }
    }

    private func push(_ machine: inout ProviderConnectionMachine, _ streams: [Int32], now: Int64 = 0) -> [String] {
        var actions: [ProviderConnectionMachine.Action] = []
        for stream in streams {
            machine.push(stream, request(), now: now, wallClock: 0, into: &actions) { _, _ in true }
        }
        return words(actions)
    }

    @Test func anAnnouncedGoAwayWaitsASecondAtMost() throws {
        var machine = try machine()
        _ = push(&machine, [1, 3])
        var actions: [ProviderConnectionMachine.Action] = []
        machine.perform(.goAway(GoAway(isAnnounced: true)), now: 5, into: &actions)
        #expect(words(actions) == ["notice", "ping"])
        #expect(push(&machine, [5]) == ["enter 5", "answer 5 200"])
        #expect(machine.nextDue == 5 + Self.second)
        actions = []
        machine.wake(now: 4 + Self.second, into: &actions)
        #expect(actions.isEmpty)
        machine.wake(now: 5 + Self.second, into: &actions)
        #expect(words(actions) == ["goaway 5 0", "end when idle"])
        #expect(machine.nextDue == nil)
        #expect(push(&machine, [7]).isEmpty)
    }

    @Test func lastStreamIsLoweredAndNeverRaised() throws {
        var machine = try machine()
        _ = push(&machine, [1])
        var actions: [ProviderConnectionMachine.Action] = []
        for last in [10, 5, 7] as [Int32] {
            machine.perform(.goAway(GoAway(lastStream: .exactly(last), ending: .leftOpen)), now: 0, into: &actions)
        }
        #expect(words(actions) == ["goaway 9 0", "goaway 5 0", "goaway 5 0"])
        #expect(push(&machine, [3, 5, 7]) == ["enter 3", "answer 3 200", "enter 5", "answer 5 200"])
    }

    @Test func answersComeByTheTimeTheyWereGiven() throws {
        var orders = Orders()
        orders.latency = Latency(.milliseconds(1) ... .milliseconds(100))
        var machine = try machine(orders)
        #expect(push(&machine, [1, 3, 5, 7, 9]) == ["enter 1", "enter 3", "enter 5", "enter 7", "enter 9"])
        var order: [String] = []
        var last: Int64 = 0
        while let due = machine.nextDue {
            #expect(due >= last)
            #expect((1_000_000...100_000_000).contains(due))
            last = due
            var actions: [ProviderConnectionMachine.Action] = []
            machine.wake(now: due, into: &actions)
            order += words(actions)
        }
        #expect(Set(order).count == 5)
        #expect(order != order.sorted())

        var twin = try self.machine(orders)
        _ = push(&twin, [1, 3, 5, 7, 9])
        var actions: [ProviderConnectionMachine.Action] = []
        twin.wake(now: .max, into: &actions)
        #expect(words(actions) == order)
    }

    @Test func aConnectionThatIsDeafByOrderProcessesAndAnswersNothing() throws {
        var orders = Orders()
        orders.held.add(.all)
        var machine = try machine(orders)
        #expect(push(&machine, [1]) == ["enter 1"])
        orders.deaf = [ConnectionID(2)]
        machine.follow(orders)
        #expect(!machine.isDeaf && machine.waitingAnswers == 1)
        orders.deaf = [ConnectionID(1)]
        machine.follow(orders)
        #expect(machine.isDeaf && machine.isMuted && machine.waitingAnswers == 0)
        #expect(push(&machine, [3]).isEmpty)
    }

    @Test func aDeafConnectionStaysSilentWhateverIsOrdered() throws {
        var machine = try machine()
        var actions: [ProviderConnectionMachine.Action] = []
        machine.perform(.deafen, now: 0, into: &actions)
        machine.follow(Orders())
        machine.speak()
        #expect(actions.isEmpty && machine.isDeaf && machine.isMuted)
        #expect(push(&machine, [1]).isEmpty)
    }

    @Test func afterACutNothingCounts() throws {
        var orders = Orders()
        orders.rules = [(FaultRule.ID(number: 1), FaultRule(.pushNumber(2), .cut(.reset)))]
        var machine = try machine(orders)
        #expect(push(&machine, [1, 3, 5]) == ["enter 1", "answer 1 200", "enter 3", "cut reset"])
    }

    @Test func aRefusedStreamIsNotProcessed() throws {
        var orders = Orders()
        orders.rules = [
            (FaultRule.ID(number: 1), FaultRule(.pushNumber(2), .resetStream(code: 7))),
            (FaultRule.ID(number: 2), FaultRule(.pushNumber(3), .resetStream(code: 2))),
        ]
        var machine = try machine(orders)
        #expect(push(&machine, [1, 3, 5]) == ["enter 1", "answer 1 200", "reset 3 7", "enter 5", "reset 5 2"])
    }

    private func orders(_ rules: FaultRule...) -> Orders {
        var orders = Orders()
        orders.rules = rules.enumerated().map { (FaultRule.ID(number: $0.offset + 1), $0.element) }
        return orders
    }

    @Test func aPushThatIsCutBeforeItIsProcessedIsNotEntered() throws {
        var machine = try machine(orders(FaultRule(.pushNumber(2), .cutUnprocessed(.finish))))
        #expect(push(&machine, [1, 3, 5]) == ["enter 1", "answer 1 200", "cut finish"])
    }

    @Test func halfAnAnswerEndsAsItIsTold() throws {
        var machine = try machine(
            orders(
                FaultRule(.pushNumber(1), .halfAnswer(HalfAnswer())),
                FaultRule(.pushNumber(2), .halfAnswer(HalfAnswer(.body, then: .reset(code: 2)))),
                FaultRule(.pushNumber(3), .halfAnswer(HalfAnswer(.frame))),
                FaultRule(.pushNumber(4), .halfAnswer(HalfAnswer(.headers, then: .cut(.reset))))))
        #expect(
            push(&machine, [1, 3, 5, 7, 9]) == [
                "enter 1", "answer 1 200", "enter 3", "answer 3 200", "reset 3 2", "enter 5", "answer 5 200",
                "silence", "enter 7", "answer 7 200", "cut reset",
            ])
    }

    @Test func aHalfAnswerThatIsHeldEndsItsConnectionWhenReleased() throws {
        var machine = try machine(
            orders(
                FaultRule(.push, .hold),
                FaultRule(.pushNumber(2), .halfAnswer(HalfAnswer(.headers, then: .cut(.finish))))))
        #expect(push(&machine, [1, 3, 5]) == ["enter 1", "enter 3", "enter 5"])
        var actions: [ProviderConnectionMachine.Action] = []
        machine.release(nil, into: &actions)
        #expect(words(actions) == ["answer 1 200", "answer 3 200", "cut finish"])
        #expect(machine.isOver)
    }

    @Test func afterItStoppedReadingNothingIsProcessed() throws {
        var machine = try machine(orders(FaultRule(.pushNumber(2), .stopReading)))
        #expect(push(&machine, [1, 3, 5]) == ["enter 1", "answer 1 200", "enter 3", "stop reading", "answer 3 200"])
    }

    @Test func faultsOfConnectionsComeBeforeTheAnswerThatBroughtThem() throws {
        var machine = try machine(
            orders(
                FaultRule(.pushNumber(1), .ignorePings), FaultRule(.pushNumber(1), .flood(Flood(.ping, count: 3))),
                FaultRule(.pushNumber(1), .brokenFrame(.pingOfSevenBytes)),
                FaultRule(.pushNumber(1), .flood(Flood(.emptyData, count: 3)))))
        #expect(push(&machine, [1]) == ["enter 1", "ignore pings", "flood ping 3", "inject 16", "answer 1 200"])
    }

    @Test func faultsThatBelongToAnotherMomentMeanNothing() throws {
        var machine = try machine(orders(FaultRule(.push, .plainText), FaultRule(.push, .tls(.http1))))
        #expect(push(&machine, [1]) == ["enter 1", "answer 1 200"])
        var actions: [ProviderConnectionMachine.Action] = []
        for fault in [Fault.hold, .refuse(.shutdown), .pushPromise, .cutUnprocessed(.reset)] {
            machine.perform(fault, now: 0, into: &actions)
        }
        #expect(actions.isEmpty)
    }

    @Test func pushesThatWereAnsweredInTheSameBurstAreNotCountedAsOpen() throws {
        var machine = try machine(orders(FaultRule(.push, .ignorePings)))
        var open: [Int] = []
        var actions: [ProviderConnectionMachine.Action] = []
        // Three arrive in one burst: the session has given none its answer yet.
        for stream in [1, 3, 5] as [Int32] {
            machine.push(stream, request(), open: 3, now: 0, wallClock: 0, into: &actions) { _, moment in
                open.append(moment.openPushes)
                return true
            }
        }
        #expect(open == [3, 2, 1])
    }

    @Test func rulesForOtherConnectionsDoNothing() throws {
        var orders = Orders()
        orders.rules = [(FaultRule.ID(number: 1), FaultRule(.push, .cut(.reset), on: .only(ConnectionID(2))))]
        var machine = try machine(orders)
        #expect(push(&machine, [1]) == ["enter 1", "answer 1 200"])
    }

    @Test func aLedgerThatKeepsNothingHasNothingHeldForIt() {
        for detail in [Ledger.Detail.counters, .counts] {
            let ledger = Ledger(detail: detail)
            #expect((ledger.keepsRecords, ledger.longestPayload) == (false, 0))
        }
        let records = Ledger(detail: Ledger.Detail(distinctKeys: 0, records: 10))
        #expect((records.keepsRecords, records.longestPayload) == (true, 0))
        let all = Ledger(detail: .records)
        #expect((all.keepsRecords, all.longestPayload) == (true, 5120))
    }

    @Test func everyTextOfARecordCountsInTheBoundOfALedger() {
        let ledger = Ledger(detail: Ledger.Detail(distinctKeys: 0, records: 1_000, bytes: 100_000))
        func text(_ letter: Character) -> Octets { Octets(Array(String(repeating: letter, count: 2_000).utf8)) }
        func entry(_ change: (inout PushRequest) -> Void, token: Octets = [], message: Octets? = nil) -> LedgerEntry {
            var request = PushRequest()
            change(&request)
            return LedgerEntry(
                connection: ConnectionID(1), stream: 1, token: token, message: message, verdict: Verdict(),
                whole: LedgerEntry.Whole(request, wallClock: 0))
        }
        let long = text("a")
        var entries = [
            entry({ $0.topic = long }), entry({ $0.collapseID = long }), entry({ $0.pushType = long }),
            entry({ $0.priority = long }), entry({ $0.expiration = long }),
            entry({ $0.headers.append(name: "x", value: long.text) }),
            entry({ $0.body = Array(long) }), entry({ _ in }, token: long), entry({ _ in }, message: long),
        ]
        ledger.enter(&entries, answered: 9)
        #expect(ledger.records.count == 9 && ledger.records.allSatisfy { $0.keptBytes > 2_000 })
        for _ in 0..<100 {
            entries = [entry({ $0.topic = long })]
            ledger.enter(&entries, answered: 1)
        }
        #expect(ledger.records.reduce(0) { $0 + $1.keptBytes } <= 100_000)
        #expect(ledger.records.count > 30 && ledger.snapshot.unrecorded == 109 - ledger.records.count)
        #expect(ledger.takeRecords().count > 30)
        entries = [entry({ $0.topic = long })]
        ledger.enter(&entries, answered: 1)
        #expect(ledger.records.count == 1)
        // The fixed size of a record counts, too.
        let short = Ledger(detail: Ledger.Detail(distinctKeys: 0, records: 1_000, bytes: 10_000))
        entries = (0..<1_000).map { _ in entry({ _ in }) }
        short.enter(&entries, answered: 0)
        #expect((10..<100).contains(short.records.count))
    }

    @Test func ledgersAreBoundedAndSayWhatTheyLeftOut() {
        let ledger = Ledger(detail: Ledger.Detail(distinctKeys: 2, records: 3))
        func octets(_ text: String) -> Octets { Octets(Array(text.utf8)) }
        var entries = ["aa", "AA", "bb", "cc", "aa"].map {
            LedgerEntry(
                connection: ConnectionID(1), stream: 1, token: octets($0), message: nil, verdict: Verdict(),
                whole: LedgerEntry.Whole(PushRequest(), wallClock: 0))
        }
        ledger.enter(&entries, answered: 5)
        #expect(entries.isEmpty)
        #expect(ledger.count(deviceToken: "aA").accepted == 3)
        #expect(ledger.count(deviceToken: "cc").accepted == 0)
        #expect(ledger.snapshot.uncounted == 1)
        #expect(ledger.snapshot.accepted == 5)
        #expect(ledger.records.count == 3)
        #expect(ledger.snapshot.unrecorded == 2)
        #expect(ledger.repeatedDeviceTokens == 1)
        ledger.reset()
        #expect(ledger.snapshot == Ledger.Snapshot())
    }
}
