import ProcessRuntime
import PushLocking
import PushSimulator
import PushTransport
import SupervisedPush
import TestSupport
import Testing

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
    /// Has the connection's process throw.
    let process = ProcessFaults()
    private let rehearsal: Rehearsal
    private let state = Locked(Strike())
    private let handles = Locked<[PushHandle]>([])
    /// The client's ends whose writes do not arrive.
    private let held = Locked<[MemoryChannel]>([])

    var load: Load { cell.load }
    var fault: FaultCase { cell.fault }
    var strike: Strike { state.withLock { $0 } }

    init(_ cell: Cell) async throws {
        self.cell = cell
        rehearsal = try Rehearsal.inMemory(
            capacity: 1 << 20, faults: process, lastStream: cell.fault.lastStream(cell.load), cell.fault.simulator)
        apple = rehearsal.apple
        runtime = rehearsal.runtime
        time = try #require(rehearsal.time)
        network = try #require(rehearsal.network)
        var base = cell.credential == .token ? rehearsal.config : rehearsal.certificateConfig
        if cell.fault.showsForeignKey {
            base.credential = .token(
                key: .pem(try Self.stranger.get().signingKeyPEM), keyID: apple.credentials.keyID,
                teamID: apple.credentials.teamID)
        }
        let config = base.with { config in
            config.timeout = .seconds(60)
            if cell.load == .behindTheLimit { config.limits.maxInFlight = cell.load.inFlight }
            if cell.fault.devices != nil { config.ordered = .perDevice }
            cell.fault.connection(&config)
        }
        try runtime.connect(name: "orders", config: config, owner: mailbox)
        switch cell.fault.beginning {
        case .proven:
            // In token mode this raises the limit from 1; in both it makes the link a useful one.
            _ = try await runtime.push(name: "orders", Samples.flight, to: Samples.token(999_999))
        case .up: await isUp(1)
        }
    }

    private static let stranger = Result { try ThrowAwayCredentials() }

    // MARK: Bringing the connection to its load

    /// All pushes in flight are written, and the simulator has read none of them: it reads on with `arrive`.
    ///
    /// - Parameters:
    ///   - inFlight: how many, if not as many as the load says.
    ///   - count: how many are called, if not all.
    func fillUnread(inFlight: Int? = nil, upTo count: Int? = nil) async {
        let count = count ?? load.total
        let inFlight = inFlight ?? min(load.inFlight, count)
        if let channel = network.channels.last {
            channel.holdWrites()
            held.withLock { $0.append(channel) }
        }
        push(0..<count)
        await isLoaded(inFlight: inFlight, waiting: count - inFlight)
    }

    /// Whatever was written arrives, on all links.
    func arrive() {
        // Also the end of a link that the client has closed and released.
        let channels = held.withLock { held in
            defer { held = [] }
            return held
        }
        for channel in channels { channel.holdWrites(isHeld: false) }
    }

    /// While held, nothing of what the simulator writes on the newest link arrives.
    func holdArrivals(_ isHeld: Bool = true) { network.channels.last?.hold(isHeld: isHeld) }

    /// All pushes in flight are processed, and their answers held back on this connection.
    func fillProcessed() async {
        if let connection = apple.connections.last { apple.holdAnswers(on: .only(connection)) }
        pushAll()
        await sees("\(load.inFlight) pushes in the ledger") { $0.pushes == 1 + self.load.inFlight }
        await isLoaded()
    }

    /// From now on the client's kernel takes this many bytes of the link and no more.
    func kernelTakes(_ bytes: Int) { network.channels.last?.accept(exactly: bytes) }

    /// The kernel has taken all that it is to take. A push counts as in flight a moment before its bytes are written.
    func kernelHasTaken() async {
        let isSo = await reaches { network.channels.last?.allowance == 0 }
        #expect(isSo, "the kernel was given fewer bytes")
    }

    /// The network resets the link.
    func resetLink() { network.channels.last?.reset() }

    func pushAll() { push(0..<load.total) }

    func push(_ numbers: Range<Int>) {
        for number in numbers {
            let handle = runtime.push(
                name: "orders", fault.notification, to: fault.token(number), completion: book.completion(number))
            book.note(number, handle.apnsID)
            handles.withLock { $0.append(handle) }
        }
    }

    /// The fault strikes now: this many are in flight and this many wait, as the load says.
    ///
    /// - Parameter returned: how many that were in flight wait again. They do not count as waiting in the load of the
    ///   connection, because nobody can be refused for their sake.
    func isLoaded(returned: Int = 0) async {
        await isLoaded(inFlight: load.inFlight - returned, waiting: load.waiting, returned: returned)
    }

    /// The fault strikes now: this many are in flight and this many wait.
    func isLoaded(inFlight: Int, waiting: Int, returned: Int = 0) async {
        let isSo = await reaches {
            let now = try? runtime.connection(named: "orders").load
            return now?.inFlight == inFlight && now?.waiting == waiting
        }
        let now = try? runtime.connection(named: "orders").load
        #expect(isSo, "\(inFlight) in flight, \(waiting) waiting, but: \(String(describing: now))")
        // A push counts as in flight a moment before its bytes are written, by the same piece of work.
        await network.channels.last?.queueCatchesUp()
        state.withLock {
            $0.inFlight = inFlight
            $0.waiting = waiting + returned
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
        proves(what, await apple.ledger.wait(within: .seconds(120), until: condition))
    }

    /// The rules of the simulator are used up.
    func provesRulesAreSpent() async {
        proves("the simulator's rule is used up", await reaches { apple.faults.rules.isEmpty })
    }

    /// Waits for a step of the story.
    func sees(_ what: String, _ condition: @escaping @Sendable (Ledger.Snapshot) -> Bool) async {
        let isSeen = await apple.ledger.wait(within: .seconds(120), until: condition)
        #expect(isSeen, "not seen: \(what)")
    }

    // MARK: Lifecycle

    @discardableResult
    func hears(
        _ what: String, _ condition: @escaping @Sendable (LifecycleMessage) -> Bool
    ) async -> LifecycleMessage? {
        let message = await mailbox.receive(timeout: .seconds(120), where: condition)
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

    // MARK: What callers and operators do

    /// All pushes have their outcomes.
    func haveEnded() async {
        let haveEnded = await book.wait(for: load.total)
        #expect(haveEnded, "only \(book.count) of \(load.total) pushes ended: \(book.summary)\n\(record)")
    }

    /// The end of the connection's flight record, for the message of a failed test.
    private var record: String {
        guard let record = try? runtime.connection(named: "orders").flightRecord() else { return "no connection" }
        return "\(record)".split(separator: "\n").suffix(12).joined(separator: "\n")
    }

    /// Cancels all pushes, the last first, so that none that waits takes the place of one in flight.
    func cancelAll() { for handle in handles.withLock({ $0.reversed() }) { handle.cancel() } }

    /// Kills the connection's process; unless it is the last time, another one serves the name afterwards.
    func killProcess(passing delay: Duration = .zero, isLast: Bool = false) async {
        guard let pid = runtime.pid(of: "orders") else { return proves("a process", false) }
        runtime.kill(pid)
        await hears("the end of \(pid)") { if case .down(pid, _) = $0 { true } else { false } }
        proves("down: killed")
        guard !isLast else { return }
        if delay > .zero {
            await time.waitUntilArmed(by: time.now.advanced(by: delay))
            pass(delay)
        }
        #expect(await reaches { runtime.pid(of: "orders").map { $0 != pid } ?? false })
    }

    /// Closing has begun: pushes are refused.
    func refusesPushes() async {
        _ = await reaches {
            (try? runtime.send(name: "orders", Samples.flight, to: Samples.token(999_998))) == nil
        }
    }

    /// The simulator announces another limit, and the connection follows.
    func limitBecomes(_ limit: Int) async {
        apple.changeSettings(SettingsChange(maxConcurrentStreams: limit), on: firstConnection)
        let followed = min(limit, load == .behindTheLimit ? load.inFlight : limit)
        proves(
            "the limit is \(limit)",
            await reaches { (try? runtime.connection(named: "orders").status)?.streamLimit == followed })
    }

    /// Moves the clock a millisecond whenever something is armed for it, until the link of this generation is up.
    func passesUntilUp(_ generation: Int) async {
        let step = Duration.milliseconds(1)
        let isUp = await reaches {
            let status = try? runtime.connection(named: "orders").status
            if status?.generation == generation, status?.phase == .up { return true }
            if let armed = time.earliestArmed, armed <= time.now.advanced(by: step) { time.advance(by: step) }
            return false
        }
        #expect(isUp, "generation \(generation) does not come up")
    }

    /// Everything that the simulator wrote on the first link has arrived: a change of the limit stood behind it.
    func hasReadAll() async {
        let limit = (try? runtime.connection(named: "orders").status)?.streamLimit ?? 0
        let marker = limit == 90 ? 80 : 90
        apple.changeSettings(SettingsChange(maxConcurrentStreams: marker), on: firstConnection)
        #expect(await reaches { (try? runtime.connection(named: "orders").status)?.streamLimit == marker })
    }

    // MARK: Time

    /// Moves the clock. What is to fire must have been decided before: a timer that is armed for the past fires at once.
    func pass(_ duration: Duration) { time.advance(by: duration) }

    /// Asks again until the condition holds, for what no event announces.
    func reaches(_ condition: () -> Bool) async -> Bool {
        await TestSupport.reaches(condition)
    }

    // MARK: The end

    /// Waits until each push has its outcome, and compares the ledgers.
    func audit() async -> Audit {
        await haveEnded()
        return Audit(load.total, book, apple.ledger.records, fault)
    }

    /// Ends both sides; nothing may be left.
    func end() async {
        await runtime.shutdown(within: .zero)
        await sees("no connection left open") { $0.openConnections == 0 }
        await rehearsal.end()
    }
}
