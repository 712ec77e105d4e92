import ProcessRuntime
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// A pool named "bulk" in front of the simulator, in memory and with a manual clock.
struct PoolStage {
    let rehearsal: Rehearsal
    let owner = Mailbox<LifecycleMessage>(limit: 5_000)
    let book = OutcomeBook()

    var runtime: PushRuntime { rehearsal.runtime }
    var apple: SimulatedAPNs { rehearsal.apple }

    /// - Parameters:
    ///   - isUp: whether to wait until `size.lowerBound` connections are up.
    ///   - before: what to do before the pool is started.
    init(
        _ size: ClosedRange<Int>, isUp: Bool = true, credentials: ThrowAwayCredentials? = nil,
        before: (SimulatedAPNs) -> Void = { _ in }, config: (inout PushConnection.Configuration) -> Void = { _ in }
    ) async throws {
        rehearsal = try Rehearsal.inMemory { if let credentials { $0.credentials = credentials } }
        before(rehearsal.apple)
        // With a certificate links begin with their full limit.
        try rehearsal.runtime.connect(
            name: "bulk", size: size, config: rehearsal.certificateConfig.with(config), owner: owner)
        if isUp { await has(up: size.lowerBound) }
    }

    var members: [ConnectionStatus] { (try? runtime.connection(named: "bulk").members.map(\.status)) ?? [] }

    func push(_ numbers: Range<Int>, options: PushOptions = PushOptions()) {
        for number in numbers {
            runtime.push(
                name: "bulk", Samples.flight, to: Samples.token(number), options: options,
                completion: book.completion(number))
        }
    }

    func has(up count: Int) async {
        await reaches("\(count) connections up") { members.count { $0.phase == .up } == count }
    }

    /// Asks again until the condition holds, for what no event announces.
    func reaches(_ what: String, _ condition: () -> Bool) async {
        let isReached = await TestSupport.reaches(condition)
        #expect(isReached, "not reached: \(what)\n\(members)")
    }

    func isLoaded(inFlight: Int, waiting: Int) async {
        await reaches("\(inFlight) in flight, \(waiting) waiting") {
            let load = try? runtime.connection(named: "bulk").load
            return load?.inFlight == inFlight && load?.waiting == waiting
        }
    }

    /// The pool looks at its loads this many times.
    func looks(_ count: Int) async {
        for _ in 0..<count {
            await rehearsal.time?.waitUntilArmed(by: runtime.now.advanced(by: .seconds(1)))
            rehearsal.time?.advance(by: .seconds(1))
        }
    }

    /// The pool looks at its loads once more, if it is about to.
    func passesALook() {
        guard let time = rehearsal.time, let armed = time.earliestArmed, armed <= time.now.advanced(by: .seconds(1))
        else {
            return
        }
        time.advance(by: .seconds(1))
    }

    /// How many of the ledger's records each connection has, sorted.
    var spread: [Int] {
        Dictionary(grouping: apple.ledger.records, by: \.connection).values.map(\.count).sorted()
    }

    /// What the owner heard, up to and with the message for which the condition holds.
    func messages(until isLast: (LifecycleMessage) -> Bool) async -> [LifecycleMessage] {
        var messages: [LifecycleMessage] = []
        while let message = await owner.receive(timeout: .seconds(120)) {
            messages.append(message)
            if isLast(message) { break }
        }
        return messages
    }

    func end() async { await rehearsal.end() }
}
