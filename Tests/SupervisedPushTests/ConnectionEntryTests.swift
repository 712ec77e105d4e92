import Locking
import PushSimulator
import TestSupport
import Testing

@testable import SupervisedPush

/// The connection as its callers know it, with processes that do nothing.
@Suite struct ConnectionEntryTests {
    private final class Idle: Behavior {
        func receive(_ message: ConnectionMessage, in context: ProcessContext<ConnectionMessage>) {}
    }

    private let time = ManualTime()
    private let system: ProcessSystem
    private let steps = Locked<[String]>([])

    init() { system = ProcessSystem(time: time) }

    /// - Parameter release: what happens while the connection's supervisor lets it go.
    private func makeEntry(whileReleased release: @escaping @Sendable (ConnectionEntry) -> Void) throws
        -> ConnectionEntry
    {
        let credentials = try ThrowAwayCredentials()
        let config = ConnectionConfig(
            credential: .token(
                key: .pem(credentials.signingKeyPEM), keyID: credentials.keyID, teamID: credentials.teamID),
            defaults: .init(topic: "com.example.app"))
        return ConnectionEntry(
            name: "orders", childID: "orders", config: config,
            credential: try CredentialStore(time: time).resolve(config), owner: nil, budget: ByteBudget(limit: .max),
            time: time,
            ending: ConnectionEntry.Ending(
                release: release, forget: { [steps] _ in steps.withLock { $0.append("over") } }))
    }

    @Test func whatComesTooLateIsMovedOnAndWhatIsClosedOnlyForCallersTakesIt() async throws {
        let (giver, taker) = (try makeEntry { _ in }, try makeEntry { _ in })
        let book = OutcomeBook()
        let times = PushTimes(timeout: .seconds(10), timeoutFromCall: nil, deadline: nil, expiration: nil)
        let records = try (0..<3).map { number in
            let record = giver.intake.issue(MachineSamples.push, times, PushPolicy(), giver.config.defaults)
            try giver.offer(record, .completion(book.completion(number)), nil)
            return record
        }
        let taken = giver.intake.take().pushes.map { PassedOnPush($0) }
        let moves = giver.intake.giveAway(taken) { _ in taker }.moves
        // Closed for callers, it serves what it gets.
        taker.intake.close()
        let served = taker.intake.adopt(Array(moves.prefix(1)), otherwise: giver)
        #expect(served.passedOn.isEmpty && served.refused.isEmpty && taker.intake.occupancy.waiting == 1)
        // Ended, it leaves them to the other; a handle follows them there.
        _ = taker.intake.drain()
        taker.cancel(moves[2].push.record)
        let late = taker.intake.adopt(Array(moves.suffix(2)), otherwise: giver)
        #expect(late.passedOn.count == 1 && late.cancelled.count == 1 && late.refused.isEmpty)
        #expect(giver.intake.adopt(late.passedOn, otherwise: nil).refused.isEmpty)
        #expect(giver.intake.occupancy.waiting == 1)
        // The first record leads to the third.
        giver.cancel(records[1])
        await book.wait(for: 1)
        #expect(book.order == [1] && book.summary == ["cancelled not_sent": 1])
    }

    @Test("parity: F5 – no process begins once a close between two processes has begun")
    func noProcessBeginsAfterTheEnd() async throws {
        let (system, steps) = (system, steps)
        let entry = try makeEntry { entry in
            // A restart that was under way when the connection was closed.
            let began = entry.processBegan(system.spawn(label: "late") { Idle() })
            steps.withLock { $0.append("began: \(began)") }
        }
        let book = OutcomeBook()
        let times = PushTimes(timeout: .seconds(10), timeoutFromCall: nil, deadline: nil, expiration: nil)
        let record = entry.intake.issue(MachineSamples.push, times, PushPolicy(), entry.config.defaults)
        try entry.offer(record, .completion(book.completion(0)), nil)
        let caller = ClosingCaller(takesHandBack: true)
        entry.whenOver(caller)
        entry.close(by: time.now)
        _ = await caller.value()
        #expect(steps.withLock { $0 } == ["began: false", "over"])
        #expect(book.summary == ["closed not_sent": 1])
        #expect(entry.pid == nil)
    }
}
