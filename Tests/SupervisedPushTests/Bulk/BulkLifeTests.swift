import ProcessRuntime
import Testing

@testable import SupervisedPush

/// Seeded random lives of a bulk: whatever happens in whatever order, no more is open than may be, and it ends once.
@Suite struct BulkLifeTests {
    @Test(arguments: 0..<60) func noLifeBreaksTheInvariants(seed: Int) {
        var life = BulkLife(seed: UInt64(seed))
        for _ in 0..<2_000 where !life.isFinished { life.step() }
        life.end()
    }
}

/// One random life, with a small model of source, connection and consumer beside the machine.
private struct BulkLife {
    private static let window = 40
    private static let readAhead = 7

    private var machine: BulkMachine
    private var random: SeededGenerator
    private var now = MonotonicInstant(nanoseconds: 0)
    private let hasRate: Bool
    private var isUp = false
    /// What the reader may still read of its run, and what it has read of it.
    private var run: (left: Int, read: Int)?
    private var unsettled = 0
    /// The refused pushes that the machine holds, and when each was first refused, of all that were.
    private var held: Set<Int> = []
    private var flyingAgain: [Int: MonotonicInstant] = [:]
    private var refusedSince: [Int: MonotonicInstant] = [:]
    private var lastTicket = 0
    private var untaken = 0
    private var rest: Int
    private var isStopped = false
    private var withdrawals = 0
    private var readerStops = 0
    private var wasCancelled = false
    /// Nothing is refused any more.
    private var isCalm = false
    private(set) var isFinished = false

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        hasRate = seed % 3 == 0
        rest = seed % 4 == 0 ? 1_000_000 : Int(seed) * 20
        machine = BulkMachine(
            window: Self.window, maxOutage: .seconds(30), rate: hasRate ? .perSecond(50) : nil,
            readAhead: Self.readAhead, now)
    }

    private var open: Int { (run?.left ?? 0) + unsettled + untaken }

    mutating func step() {
        switch Int.random(in: 0..<1_000, using: &random) {
        case 0..<350: read()
        case 350..<600: settle(Int.random(in: 1...20, using: &random))
        case 600..<850: take(Int.random(in: 1...20, using: &random))
        case 850..<920: advance(by: .milliseconds(Int.random(in: 1...2_000, using: &random)))
        case 920..<955: feed(.linkUp)
        case 955..<985: feed(.linkDown)
        case 985..<990: stop(within: .seconds(Int.random(in: 0...5, using: &random)))
        case 990: feed(.targetEnded)
        case 991: feed(.cancelled)
        default: advance(by: .milliseconds(10))
        }
    }

    /// Whatever state it is in, it ends once its source does and every push has its outcome.
    mutating func end() {
        rest = min(rest, 10)
        isCalm = true
        feed(.linkUp)
        for _ in 0..<200 where !isFinished {
            read()
            settle(unsettled - held.count)
            take(untaken)
            advance(by: .seconds(1))
        }
        #expect(isFinished)
        #expect(withdrawals <= 1 && readerStops <= 1)
    }

    // MARK: The world

    private mutating func read() {
        guard var current = run else { return }
        let mayRead = machine.mayRead
        if mayRead, current.left > 0, rest > 0 {
            current = (current.left - 1, current.read + 1)
            (rest, unsettled, run) = (rest - 1, unsettled + 1, current)
        }
        guard current.left == 0 || rest == 0 || !mayRead else { return }
        run = nil
        if rest == 0, mayRead {
            feed(Bool.random(using: &random) ? .sourceEnded(read: current.read) : .sourceFailed(read: current.read))
        } else {
            feed(.read(current.read))
        }
    }

    /// Pushes that the connection has end, in one way or another.
    private mutating func settle(_ count: Int) {
        let count = min(count, unsettled - held.count)
        guard count > 0 else { return }
        guard machine.needsAnswers || Int.random(in: 0..<3, using: &random) == 0 else {
            (unsettled, untaken) = (unsettled - count, untaken + count)
            return feed(.settled(count))
        }
        var answers: [BulkMachine.Answer] = []
        for _ in 0..<count {
            // Those that go again are among them.
            let again = flyingAgain.keys.min()
            if let again { flyingAgain[again] = nil }
            guard !isCalm, Int.random(in: 0..<3, using: &random) == 0 else {
                answers.append([.accepted, .rejected, .ended].randomElement(using: &random) ?? .accepted)
                if let again { refusedSince[again] = nil }
                (unsettled, untaken) = (unsettled - 1, untaken + 1)
                continue
            }
            lastTicket += again == nil ? 1 : 0
            let ticket = again ?? lastTicket
            let since = refusedSince[ticket] ?? now
            refusedSince[ticket] = since
            held.insert(ticket)
            answers.append(.refused(ticket: ticket, .service, since: since, times: 1))
        }
        feed(.answers(answers))
    }

    private mutating func take(_ count: Int) {
        let count = min(count, untaken)
        guard count > 0 else { return }
        untaken -= count
        feed(.taken(count))
    }

    private mutating func advance(by time: Duration) {
        now = now.advanced(by: time)
        feed(.tick)
    }

    private mutating func stop(within time: Duration) { feed(.stop(within: time)) }

    // MARK: The machine

    private mutating func feed(_ event: BulkMachine.Event) {
        let wasFinished = isFinished
        switch event {
        case .linkUp: isUp = true
        case .linkDown: isUp = false
        case .cancelled: wasCancelled = true
        default: break
        }
        var actions: [BulkMachine.Action] = []
        machine.handle(event, now, into: &actions)
        #expect(!wasFinished || actions.isEmpty)
        for action in actions { perform(action) }
        isStopped = isStopped || machine.stopped != nil
    }

    private mutating func perform(_ action: BulkMachine.Action) {
        switch action {
        case .read(let count):
            #expect(run == nil && count > 0 && !isStopped && !isFinished)
            run = (count, 0)
            #expect(open <= (isUp ? Self.window : hasRate ? 0 : Self.readAhead))
        case .pushAgain(let tickets):
            #expect(isUp && !isFinished && !tickets.isEmpty && withdrawals == 0)
            #expect(!machine.pause.stands || tickets.count == 1)
            for ticket in tickets {
                #expect(held.remove(ticket) != nil)
                flyingAgain[ticket] = now
            }
        case .end(let tickets):
            for ticket in tickets { #expect(held.remove(ticket) != nil) }
            (unsettled, untaken) = (unsettled - tickets.count, untaken + tickets.count)
        case .tellPause, .tellResumption: #expect(!isStopped)
        case .wakeConsumer: break
        case .stopReader: readerStops += 1
        case .cancelAll: withdrawals += 1
        case .finish:
            #expect(!isFinished && (wasCancelled || (run == nil && unsettled == 0)))
            isFinished = true
        }
    }
}
