import Foundation
import ProcessRuntime
import PushLocking
import PushQueue
import PushQueueRedis
import PushQueueSQLite
import PushSimulator
import PushTesting
import QueueTestSupport
import SupervisedPush
import TestSupport

/// A queue in a store of its own, two simulators, and the workers between them.
///
/// There are two simulators so that one worker's way to APNs can be cut, and so that the ledgers tell who pushed what.
final class QueueStage: Sendable {
    struct Failed: Error, CustomStringConvertible { let description: String }

    private struct State {
        var evidence = QueueAudit.Evidence()
        var position: String?
        var workers: [StageWorker] = []
        var programs: [ChildProcess] = []
        /// Servers end with their last reference.
        var servers: [any Sendable] = []
        var proofs: [String] = []
        var tokens = 0
    }

    /// The name of the queue: the one that `pushctl worker` works by default.
    static let name = "push"

    let kind: StoreKind
    let folder: URL
    /// The server, if the queue is on Redis.
    let server: RedisServer?
    let apples: [SimulatedAPNs]
    /// The way of the producer and the judge to the queue, and their network.
    let store: any PushQueueStore
    let network: CuttableRedis?
    private let runtime = PushRuntime(.init(logger: nil))
    private let files: ThrowAwayCredentials.Files
    private let state = Locked(State())

    /// - Parameter ledger: What the simulators keep.
    init(_ kind: StoreKind, ledger: Ledger.Detail) throws {
        self.kind = kind
        folder = FileManager.default.temporaryDirectory.appending(path: "queue-faults-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        apples = try (0..<2).map { _ in
            try SimulatedAPNs.started(in: nil, time: SystemTime()) { $0.ledger = ledger }
        }
        files = try apples[0].credentials.write(to: folder.appending(path: "credentials").path)
        var options = RedisServer.Options()
        options.appendOnly = true
        server = kind == .redis ? try RedisServer(options) : nil
        network = try server.map { try CuttableRedis($0, isPatient: true) }
        if let network {
            store = try RedisQueue(Self.name, commands: network, waiting: network.waiting ?? network)
        } else {
            var patient = SQLiteQueue.Configuration()
            patient.busyTimeout = .seconds(30)
            store = SQLiteQueue(folder.appending(path: "pushes.db").path, name: Self.name, configuration: patient)
        }
    }

    /// Ends what still runs.
    func end() async {
        let (workers, programs) = state.withLock { ($0.workers, $0.programs) }
        for program in programs { program.signal(SIGKILL) }
        for worker in workers { worker.worker.stop(within: .zero) }
        for worker in workers { try? await worker.task.value }
        await runtime.shutdown(within: .zero)
        for apple in apples { apple.stop() }
        server?.kill()
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: The queue

    /// Puts tokens in, which no other entry has. A fifth of the entries is urgent.
    func put(_ tokens: Int, perEntry: Int = 50, neverRepeats: Bool = false) async throws {
        let first = state.withLock { state in
            defer { state.tokens += tokens }
            return state.tokens
        }
        let entries = try stride(from: first, to: first + tokens, by: perEntry).map { start in
            let numbers = start..<min(first + tokens, start + perEntry)
            return try QueueEntry(
                Samples.flight, to: numbers.map { Samples.token($0) }, neverRepeats: neverRepeats,
                isUrgent: start / perEntry % 5 == 4)
        }
        for start in stride(from: 0, to: entries.count, by: 64) {
            try await store.enqueue(Array(entries[start..<min(entries.count, start + 64)]))
        }
        acknowledged(entries)
    }

    /// The queue has acknowledged them.
    func acknowledged(_ entries: [QueueEntry]) { state.withLock { $0.evidence.entries += entries } }

    /// How many tokens the queue has acknowledged.
    var acknowledgedTokens: Int { state.withLock { $0.evidence.entries.reduce(0) { $0 + $1.tokens.count } } }

    /// Reads the outcomes that came since the last call.
    ///
    /// - Returns: How many there are by now.
    @discardableResult
    func read() async throws -> Int {
        while true {
            let page = try await store.outcomes(.all, after: state.withLock { $0.position }, limit: 1_000)
            if page.outcomes.isEmpty { return state.withLock { $0.evidence.rows.count } }
            state.withLock {
                $0.evidence.rows += page.outcomes
                $0.position = page.position
            }
        }
    }

    /// Reads from the first outcome again: the list is another one.
    func forgetRows() {
        state.withLock {
            $0.evidence.rows = []
            $0.position = nil
        }
    }

    /// Waits until the queue has this number of outcomes.
    func rows(_ count: Int) async throws {
        do { try await until("the outcomes are there") { try await read() >= count } } catch let error as Failed {
            let (rows, status) = (try await read(), try await store.status())
            throw Failed(description: "\(error) There are \(rows) of \(count). \(status)")
        }
    }

    /// Waits until something is so.
    ///
    /// The stores tell no reader of a new outcome. It asks again after a pause, because asking without one takes the
    /// processor from the workers.
    func until(_ what: String, within limit: Duration = .seconds(120), _ isSo: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end {
            do { if try await isSo() { return } } catch let error as QueueError where error.code == .unreachable {}
            try await Task.sleep(for: .milliseconds(10))
        }
        throw Failed(description: "It did not come about within \(limit) that \(what).")
    }

    /// Waits until a simulator has seen this number of pushes.
    func pushes(_ count: Int, at apple: Int) async throws { try await seen(count, "pushes", at: apple) { $0.pushes } }

    /// Waits until a simulator has seen this number of handshakes.
    func handshakes(_ count: Int, at apple: Int) async throws {
        try await seen(count, "handshakes", at: apple) { $0.handshakes }
    }

    private func seen(
        _ count: Int, _ what: String, at apple: Int, _ number: @escaping @Sendable (Ledger.Snapshot) -> Int
    ) async throws {
        let ledger = apples[apple].ledger
        guard await ledger.wait(within: .seconds(120), until: { number($0) >= count }) else {
            throw Failed(description: "Simulator \(apple) saw \(number(ledger.snapshot)) of \(count) \(what).")
        }
    }

    // MARK: Workers

    /// Starts a worker, puts 1,000 tokens in, and waits until 100 are in flight, which get no answers.
    func begin() async throws -> StageWorker {
        apples[0].holdAnswers()
        let worker = try worker(at: 0, maxTokens: 100)
        try await put(1_000)
        try await pushes(100, at: 0)
        return worker
    }

    /// Starts a worker in this process.
    ///
    /// - Parameters:
    ///   - apple: The simulator that it pushes to.
    ///   - url: An address of Redis that its own connections follow; nil: the server of the stage, through a network.
    func worker(
        at apple: Int, maxTokens: Int? = nil, name: String = "worker", url: String? = nil
    ) throws -> StageWorker {
        let number = state.withLock { $0.workers.count }
        let config = apples[apple].connectionConfig.with {
            $0.timeout = .seconds(60)
            $0.liveness = PushConnection.Configuration.Liveness(pingTimeout: .seconds(600), stall: .seconds(600))
            // A push whose answer is held has its outcome once the answer comes, however late that is.
            $0.lateWindow = .seconds(600)
            // All that a worker takes is in flight, also before the first answer.
            $0.limits.firstFlight = .max
        }
        let connection = try runtime.connect(name: "worker-\(number)", config: config)
        let network = try url == nil ? server.map { try CuttableRedis($0) } : nil
        let queue =
            try network.map { try RedisQueue(Self.name, commands: $0, waiting: $0.waiting ?? $0) }
            ?? url.map { try RedisQueue(Self.name, connection: .init(url: $0)) }
        let own: any PushQueueStore = queue ?? SQLiteQueue(folder.appending(path: "pushes.db").path, name: Self.name)
        let worker = PushWorker(
            queue: own, connection: connection, configuration: .init(name: name, maxTokens: maxTokens))
        let started = StageWorker(worker: worker, task: Task { try await worker.run() }, network: network, queue: queue)
        state.withLock { $0.workers.append(started) }
        return started
    }

    /// Starts `pushctl worker`.
    func program(at apple: Int) async throws -> ChildProcess {
        // It ends where there is no queue. The store's first call makes one.
        _ = try await store.status()
        let credentials = apples[apple].credentials
        let program = try ChildProcess([
            BuiltPushctl.path, "worker", "--queue", server?.url ?? folder.appending(path: "pushes.db").path,
            "--host", "localhost", "--port", "\(apples[apple].port ?? 0)", "--trust-roots", files.authority,
            "--key", files.signingKey, "--team-id", credentials.teamID, "--topic", credentials.topic,
        ])
        state.withLock { $0.programs.append(program) }
        return program
    }

    /// Keeps another server until the stage ends.
    func keep<Server: Sendable>(_ server: Server) -> Server {
        state.withLock { $0.servers.append(server) }
        return server
    }

    // MARK: Evidence

    /// Notes what shows that the fault struck; it stands in the table.
    func prove(_ sentence: String, _ isSo: Bool = true) throws {
        guard isSo else { throw Failed(description: "It is not so that \(sentence).") }
        state.withLock { state in
            if !state.proofs.contains(sentence) { state.proofs.append(sentence) }
        }
    }

    var proofs: [String] { state.withLock { $0.proofs } }

    /// From now on, nothing may be pushed that has an outcome now.
    func mark() async throws {
        try await read()
        let pushes = apples.map { $0.ledger.records.count }
        state.withLock { $0.evidence.marks.append(.init(rows: $0.evidence.rows.count, pushes: pushes)) }
    }

    /// Judges what there is by now.
    func audit() async throws -> QueueAudit {
        try await read()
        let evidence = state.withLock { state in
            var evidence = state.evidence
            evidence.inDoubt = state.workers.reduce(0) { $0 + $1.status.inDoubt }
            return evidence
        }
        let ledgers = apples.map(\.ledger)
        guard ledgers[0].records.isEmpty, ledgers[1].records.isEmpty else {
            return QueueAudit(evidence, ledgers: ledgers.map(\.records))
        }
        return QueueAudit(evidence) { id in ledgers.reduce(0) { $0 + $1.count(apnsID: id).accepted } }
    }
}
