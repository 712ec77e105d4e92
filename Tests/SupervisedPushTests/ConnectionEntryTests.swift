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
