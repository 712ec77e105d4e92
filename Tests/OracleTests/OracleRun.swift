import Dispatch
import ProcessRuntime
import PushLocking
import PushSimulator
import SupervisedPush
import TestSupport

/// One random life: the seed decides what is called and what goes wrong, the machine's threads decide when.
struct OracleRun {
    private static let steps = 250
    /// How long a machine that is busy may need for what must happen.
    private static let patience = Duration.seconds(120)

    let seed: UInt64
    let stage: OracleStage
    let book = OracleBook()
    var random: SeededGenerator
    /// What was begun and ends by itself.
    var tasks: [Task<Void, Never>] = []
    /// Pushes that can still be cancelled.
    var handles: [PushHandle] = []
    var cancellable: [Task<Void, Never>] = []

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        stage = try OracleStage(.random(using: &random))
    }

    /// The apns-id of a push, by which both accounts know it.
    static func id(_ number: Int, seed: UInt64) -> APNSID { APNSID(high: seed, low: UInt64(number)) }

    /// Lives, and returns what must never happen and did.
    mutating func live() async throws -> (violations: [String], summary: [String: Int]) {
        let listener = listen()
        for _ in 0..<Self.steps {
            try stage.begin(poolSize: 1...3)
            await step()
        }
        var violations = await end()
        await listener.value
        let verdict = OracleVerdict(book, stage.apple.ledger.records) { [seed] in Self.id($0, seed: seed) }
        violations += verdict.violations
        await stage.rehearsal.end()
        return (violations, verdict.summary)
    }

    /// Whatever the owner is handed back goes into the book.
    private func listen() -> Task<Void, Never> {
        Task { [stage, book] in
            for await message in stage.mailbox {
                if case .handedBack(_, _, let handBack) = message { book.handedBack(handBack) }
            }
        }
    }

    private mutating func step() async {
        switch roll(100) {
        case 0..<34: push()
        case 34..<42: pushInOrder()
        case 42..<60: await pass(.milliseconds(roll(300)))
        case 60..<68: await giveTurns(roll(200))
        case 68..<73: cancel()
        default: await trouble()
        }
    }

    // MARK: The end

    /// Lets everything come to its end, and looks at what must be back to nothing.
    private mutating func end() async -> [String] {
        calm()
        let clock = Task { [stage] in
            while !Task.isCancelled {
                stage.time.advance(by: .milliseconds(20))
                await giveTurns(20)
            }
        }
        var violations: [String] = []
        if await !reaches({ book.pending == 0 }) { violations.append("\(book.pending) pushes have not ended") }
        for task in tasks { await task.value }
        for name in [OracleStage.single, OracleStage.ordered, OracleStage.pool] where stage.runtime.pid(of: name) != nil
        {
            if await !drains(name) { violations.append("\(name) never drains: \(Self.load(name, stage))") }
            if await !reaches({ Self.isIdle(name, stage) }) {
                violations.append("\(name) is drained and not idle: \(Self.load(name, stage))")
            }
        }
        book.handedBack(await stage.runtime.shutdown(within: .seconds(5)))
        let budget = stage.runtime.waitingBudget
        if await !reaches({ budget.free == budget.limit }) {
            violations.append("\(budget.limit - budget.free) bytes of the runtime's budget are not given back")
        }
        clock.cancel()
        await clock.value
        stage.mailbox.close()
        return violations
    }

    /// The manual clock runs ahead of a machine that is busy, so a `drain` whose time is over is asked again.
    private func drains(_ name: String) async -> Bool {
        let end = ContinuousClock.now + Self.patience
        repeat {
            // A name that is gone has nothing left.
            if (try? await stage.runtime.connection(named: name).drain(within: .seconds(120))) ?? true { return true }
        } while ContinuousClock.now < end
        return false
    }

    private static func load(_ name: String, _ stage: OracleStage) -> String {
        (try? stage.runtime.connection(named: name).load).map { "\($0)" } ?? "gone"
    }

    private static func isIdle(_ name: String, _ stage: OracleStage) -> Bool {
        guard let load = try? stage.runtime.connection(named: name).load else { return true }
        return load.inFlight == 0 && load.waiting == 0
    }

    /// Asks again until it is so, as long as a machine that is busy may need.
    private func reaches(_ condition: () -> Bool) async -> Bool {
        await TestSupport.reaches(within: Self.patience, condition)
    }

    // MARK: Chance

    mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

    mutating func chance(_ percent: Int) -> Bool { roll(100) < percent }

    /// Moves the clock in steps, so that what is due on the way has its turn.
    private func pass(_ duration: Duration) async {
        var left = duration
        while left > .zero {
            stage.time.advance(by: min(left, .milliseconds(10)))
            left -= .milliseconds(10)
            await giveTurns(1)
        }
    }
}

extension OracleStage.Traits {
    static func random(using random: inout SeededGenerator) -> Self {
        Self(
            flushDelay: [nil, nil, .zero, .milliseconds(2)].randomElement(using: &random) ?? nil,
            maxInFlight: [3, 20, 100].randomElement(using: &random) ?? 20,
            firstFlight: [1, 3, 20, .max].randomElement(using: &random) ?? 20,
            stall: [nil, .seconds(2)].randomElement(using: &random) ?? nil,
            maxWaiting: [20, 100, 10_000].randomElement(using: &random) ?? 100,
            whenFull: [.wait, .reject, .dropOldest].randomElement(using: &random) ?? .wait,
            showsCertificate: Bool.random(using: &random),
            budget: [1 << 20, 256 << 20].randomElement(using: &random) ?? 1 << 20)
    }
}
