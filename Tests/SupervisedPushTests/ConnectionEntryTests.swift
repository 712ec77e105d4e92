import ProcessRuntime
import PushLocking
import PushSimulator
import PushTransport
import TestSupport
import Testing

@testable import SupervisedPush

/// The connection as its callers know it, with processes that do nothing.
@Suite(.timeLimit(.minutes(5))) struct ConnectionEntryTests {
    private final class Idle: Behavior {
        func receive(_ message: ConnectionMessage, in context: ProcessContext<ConnectionMessage>) {}
    }

    private let time = ManualTime()
    private let system: ProcessSystem
    private let steps = Locked<[String]>([])

    init() { system = ProcessSystem(time: time) }

    /// - Parameter release: what happens while the connection's supervisor lets it go.
    private func makeEntry(
        _ host: String? = nil, port: Int = 443, owner: Mailbox<LifecycleMessage>? = nil,
        whileReleased release: @escaping @Sendable (any Destination) -> Void = { _ in }
    ) throws -> ConnectionEntry {
        let credentials = try ThrowAwayCredentials()
        let config = PushConnection.Configuration(
            host: host, port: port,
            credential: .token(
                key: .pem(credentials.signingKeyPEM), keyID: credentials.keyID, teamID: credentials.teamID),
            defaults: .init(topic: "com.example.app"))
        return ConnectionEntry(
            name: "orders", childID: "orders", config: config,
            credential: try CredentialReader(time: time).resolve(config), owner: owner, budget: ByteBudget(limit: .max),
            time: time,
            hooks: EndHooks(release: release, forget: { [steps] _ in steps.withLock { $0.append("over") } }))
    }

    @Test(arguments: [
        ("::1", 443, "[::1]"), ("::1", 8_443, "[::1]:8443"), ("2001:db8::7", 443, "[2001:db8::7]"),
        ("127.0.0.1", 443, "127.0.0.1"), ("push.example", 443, "push.example"),
        ("push.example", 2_197, "push.example:2197"),
    ])
    func theAuthorityNamesAnAddressAsURIsDo(_ host: String, _ port: Int, _ authority: String) throws {
        #expect(try makeEntry(host, port: port).authority == authority)
    }

    /// Fire-and-forget pushes that were cancelled before any process lived.
    private func cancelledBeforeTheFirstProcess(_ count: Int, in entry: ConnectionEntry) throws {
        for number in 0..<count {
            let push = Push(MachineSamples.push.notification, to: MachineSamples.push.deviceToken, context: number)
            let record = entry.outbox.issue(push, options: PushOptions())
            try entry.entrance.offer(record, outcome: .nobody, whenFull: nil)
            entry.outbox.cancel(record)
        }
    }

    @Test("parity: F4 – what ends before the first process is handed back when one begins")
    func whatEndsBeforeTheFirstProcessIsHandedBack() async throws {
        let owner = Mailbox<LifecycleMessage>()
        let entry = try makeEntry(owner: owner)
        try cancelledBeforeTheFirstProcess(3, in: entry)
        let process = system.spawn(label: "first") { Idle() }
        #expect(entry.processBegan(process))
        guard case .handedBack(process.pid, "orders", let handBack)? = await owner.receive(timeout: .seconds(5))
        else {
            Issue.record("nothing was handed back")
            return
        }
        #expect(handBack.notSent.map { $0.context as? Int } == [0, 1, 2] && handBack.count == 3)
        #expect(entry.watch.counters.handBacksLost == 0)
    }

    @Test("parity: F4 – what ends before the first process, where none follows, goes to who closes, or is counted")
    func whatEndsWithoutAProcessIsNotForgotten() async throws {
        let closed = try makeEntry()
        try cancelledBeforeTheFirstProcess(3, in: closed)
        let caller = ClosingCaller(takesHandBack: true)
        closed.whenOver(caller)
        closed.close(by: time.now)
        #expect(await caller.value().notSent.count == 3)

        let failed = try makeEntry(owner: Mailbox())
        try cancelledBeforeTheFirstProcess(3, in: failed)
        failed.startFailed()
        let over = ClosingCaller(takesHandBack: false)
        failed.whenOver(over)
        _ = await over.value()
        #expect(failed.watch.counters.handBacksLost == 3)
    }

    @Test func whatIsGivenBackBeforeItsFirstProcessIsAnnouncedIsKeptForTheOwner() {
        let life = Life<ConnectionMessage>(.connection)
        var kept: [Bool] = []
        _ = life.began(system.spawn(label: "first") { Idle() }, time.now) { action in
            guard case .begin = action else { return }
            kept.append(life.keep(HandBackBatch()))
            _ = life.takeUnclaimed()
            kept.append(life.keep(HandBackBatch()))
        }
        #expect(kept == [true, false])
    }

    @Test("parity: F5 – no process begins once a close between two processes has begun")
    func noProcessBeginsAfterTheEnd() async throws {
        let (system, steps) = (system, steps)
        let entry = try makeEntry { destination in
            guard let entry = destination as? ConnectionEntry else {
                Issue.record("\(destination)")
                return
            }
            // A restart that was under way when the connection was closed.
            let began = entry.processBegan(system.spawn(label: "late") { Idle() })
            steps.withLock { $0.append("began: \(began)") }
        }
        let book = OutcomeBook()
        let record = entry.outbox.issue(MachineSamples.push, options: PushOptions())
        try entry.entrance.offer(record, outcome: .completion(book.completion(0)), whenFull: nil)
        let caller = ClosingCaller(takesHandBack: true)
        entry.whenOver(caller)
        entry.close(by: time.now)
        _ = await caller.value()
        #expect(steps.withLock { $0 } == ["began: false", "over"])
        #expect(book.summary == ["closed not_sent": 1])
        #expect(entry.pid == nil)
    }

    /// An entry whose first process was killed, and a replacement of its credential that is under way.
    private func offeredInTheGap() async throws -> (entry: ConnectionEntry, replacing: Task<ConnectError?, Never>) {
        let entry = try makeEntry()
        let process = system.spawn(label: "first") { Idle() }
        #expect(entry.processBegan(process))
        entry.processEnded(process.pid, reason: .killed)
        let other = try ThrowAwayCredentials()
        let credential = Credential.token(
            key: .pem(other.signingKeyPEM), keyID: other.keyID, teamID: other.teamID)
        let reader = CredentialReader(time: time)
        let replacing = Task { () -> ConnectError? in
            do throws(ConnectError) {
                try await entry.replaceCredential(credential, trust: nil, reader: reader)
                return nil
            } catch { return error }
        }
        await until { entry.credentials.offer(at: entry.memberNumber) != nil }
        #expect(entry.life.stage == .between)
        return (entry, replacing)
    }

    @Test func whatIsOfferedInTheGapIsTakenOnceTheSupervisorSaysThatAnotherProcessFollows() async throws {
        let (entry, replacing) = try await offeredInTheGap()
        let before = entry.credential
        entry.hear(.restarting(id: "orders", old: ProcessID(1), reason: .killed, delay: .seconds(1)))
        #expect(await replacing.value == nil)
        #expect(!entry.credential.isSame(as: before) && entry.credentials.offer(at: 0) == nil)
        entry.close(by: time.now)
    }

    @Test(arguments: [false, true])
    func whatIsOfferedInTheGapIsDeclinedAtTheEnd(isClosed: Bool) async throws {
        let (entry, replacing) = try await offeredInTheGap()
        if isClosed {
            entry.close(by: time.now)
        } else {
            entry.hear(.gaveUp(id: "orders", reason: .killed))
        }
        #expect(await replacing.value?.code == .notFound)
    }

    @Test func oneThatEndedBeforeItWasStartedIsNotFound() async throws {
        let registry = Registry()
        let environment = ConnectionEnvironment(connector: MemoryNetwork(), wallClock: { 0 }, seed: { _ in 0 })
        let starter = ConnectionStarter(
            system: system, registry: registry, supervisor: Supervisor(system: system, label: "supervisor"),
            environment: environment, treeSignal: TreeSignal(), board: EventBoard(registry))
        let entry = try makeEntry()
        entry.close(by: time.now)
        #expect(throws: ConnectError.self) { try starter.supervise(entry) }
        #expect(registry.destination(ofChild: "orders") == nil && registry.names.isEmpty)
        #expect(throws: LookupError.self) { try registry.destination(named: "orders") }
    }
}
