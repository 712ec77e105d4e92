import Locking
import PushSimulator
import SupervisedPush
import TestSupport
import Testing
import WireTransport

/// The stage of one cell: a runtime and a simulator over a network in memory, with a manual clock, and a connection named
/// "orders" that is up and has had one push answered.
final class FaultStage: Sendable {
    struct Strike: Sendable, Hashable {
        var inFlight = 0
        var waiting = 0
        /// What was seen of the fault.
        var proofs: [String] = []
    }

    let cell: Cell
    let apple: SimulatedAPNs
    let runtime: PushRuntime
    let time: ManualTime
    let network: TappedNetwork
    let mailbox = Mailbox<LifecycleMessage>(limit: 5_000)
    let book = PushBook()
    private let rehearsal: Rehearsal
    private let state = Locked(Strike())

    var load: Load { cell.load }
    var fault: FaultCase { cell.fault }
    var strike: Strike { state.withLock { $0 } }

    init(_ cell: Cell) async throws {
        self.cell = cell
        rehearsal = try Rehearsal.inMemory(capacity: 1 << 20, cell.fault.simulator)
        apple = rehearsal.apple
        runtime = rehearsal.runtime
        time = try #require(rehearsal.time)
        network = try #require(rehearsal.network)
        let base = cell.credential == .token ? rehearsal.config : rehearsal.certificateConfig
        let config = base.with { config in
            config.timeout = .seconds(60)
            if cell.load == .behindTheLimit { config.maxInFlight = cell.load.inFlight }
            cell.fault.connection(&config)
        }
        try runtime.connect(name: "orders", config: config, owner: mailbox)
        // In token mode this raises the limit from 1; in both it makes the link a useful one.
        _ = try await runtime.push(name: "orders", Samples.flight, to: Samples.token(999_999))
    }

    // MARK: Bringing the connection to its load

    /// All pushes in flight are written, and the simulator has read none of them: it reads on with `arrive`.
    func fillUnread() async {
        network.channels.last?.holdWrites()
        pushAll()
        await isLoaded()
    }

    /// Whatever was written arrives, on all links.
    func arrive() { for channel in network.channels { channel.holdWrites(false) } }

    /// While held, nothing of what the simulator writes on the newest link arrives.
    func holdArrivals(_ isHeld: Bool = true) { network.channels.last?.hold(isHeld) }

    /// All pushes in flight are processed, and their answers held back on this connection.
    func fillProcessed() async {
        if let connection = apple.connections.last { apple.holdAnswers(on: .only(connection)) }
        pushAll()
        await sees("\(load.inFlight) pushes in the ledger") { $0.pushes == 1 + self.load.inFlight }
        await isLoaded()
    }

    /// From now on the client's kernel takes so many bytes of the link and no more.
    func kernelTakes(_ bytes: Int) { network.channels.last?.take(exactly: bytes) }

    /// The network resets the link.
    func resetLink() { network.channels.last?.reset() }

    func pushAll() { push(0..<load.total) }

    func push(_ numbers: Range<Int>) {
        for number in numbers {
            let handle = runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
            book.note(number, handle.apnsID)
        }
    }

    /// The fault strikes now: so many are in flight and so many wait, as the load says.
    ///
    /// - Parameter returned: how many that were in flight wait again. They do not count as waiting in the load of the
    ///   connection, because nobody can be refused for their sake.
    func isLoaded(returned: Int = 0) async {
        let isSo = await reaches {
            let now = try? runtime.load(name: "orders")
            return now?.inFlight == load.inFlight - returned && now?.waiting == load.waiting
        }
        let now = try? runtime.load(name: "orders")
        #expect(isSo, "\(load), \(returned) returned, but: \(String(describing: now))")
        state.withLock {
            $0.inFlight = load.inFlight - returned
            $0.waiting = load.waiting + returned
        }
    }

    // MARK: Proofs

    /// Notes what shows that the fault struck.
    func proves(_ what: String, _ isSeen: Bool = true) {
        #expect(isSeen, "not seen: \(what)")
        state.withLock { if !$0.proofs.contains(what) { $0.proofs.append(what) } }
    }

    /// Waits until the simulator's counters say what shows that the fault struck.
    func proves(_ what: String, _ condition: @escaping @Sendable (Ledger.Snapshot) -> Bool) async {
        proves(what, await apple.ledger.wait(within: .seconds(20), until: condition))
    }

    /// The rules of the simulator are used up.
    func provesRulesAreSpent() async {
        proves("the simulator's rule is used up", await reaches { apple.faults.rules.isEmpty })
    }

    /// Waits for a step of the story.
    func sees(_ what: String, _ condition: @escaping @Sendable (Ledger.Snapshot) -> Bool) async {
        let isSeen = await apple.ledger.wait(within: .seconds(20), until: condition)
        #expect(isSeen, "not seen: \(what)")
    }

    // MARK: Lifecycle

    @discardableResult
    func hears(
        _ what: String, _ condition: @escaping @Sendable (LifecycleMessage) -> Bool
    ) async -> LifecycleMessage? {
        let message = await mailbox.receive(timeout: .seconds(20), where: condition)
        #expect(message != nil, "not heard: \(what)")
        return message
    }

    /// The connection pauses; its pause is over when this returns.
    ///
    /// - Parameter inThePause: what happens meanwhile.
    func reconnects(attempt: Int = 1, _ inThePause: () -> Void = {}) async {
        let message = await hears("reconnecting, attempt \(attempt)") {
            if case .reconnecting(_, _, attempt, _, _) = $0 { true } else { false }
        }
        guard case .reconnecting(_, _, _, let delay, let cause)? = message else { return }
        proves("reconnecting: \(cause.layer)")
        inThePause()
        pass(delay)
    }

    func isUp(_ generation: Int) async {
        await hears("connectionUp, generation \(generation)") {
            if case .connectionUp(_, _, generation) = $0 { true } else { false }
        }
    }

    func drains() async {
        let message = await hears("draining") { if case .draining = $0 { true } else { false } }
        guard case .draining(_, _, _, let reason)? = message else { return }
        proves(reason.map { "draining: \($0)" } ?? "draining")
    }

    // MARK: Time

    /// Moves the clock. What is to fire must have been decided before: a timer that is armed for the past fires at once.
    func pass(_ duration: Duration) { time.advance(by: duration) }

    /// Asks again until the condition holds, for what no event announces.
    func reaches(_ condition: () -> Bool) async -> Bool {
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end {
            if condition() { return true }
            await Task.yield()
        }
        return condition()
    }

    // MARK: The end

    /// Waits until each push has its outcome, and compares the ledgers.
    func audit() async -> Audit {
        let haveEnded = await book.wait(for: load.total)
        #expect(haveEnded, "only \(book.count) of \(load.total) pushes ended: \(book.summary)")
        return Audit(load.total, book, apple.ledger.records, fault)
    }

    /// Ends both sides; nothing may be left.
    func end() async {
        await runtime.shutdown(within: .zero)
        await sees("no connection left open") { $0.openConnections == 0 }
        await rehearsal.end()
    }
}
