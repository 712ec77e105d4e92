import ProcessRuntime
import PushLocking
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// A source that counts what is read of it.
final class CountedSource: Sequence, Sendable {
    private let number: Int
    private let make: @Sendable (Int) -> Push
    private let count = Locked(0)

    init(_ number: Int, _ make: @escaping @Sendable (Int) -> Push = { Push(Samples.flight, to: Samples.token($0)) }) {
        self.number = number
        self.make = make
    }

    /// How many elements were read.
    var read: Int { count.withLock { $0 } }

    private func next() -> Push? {
        let index = count.withLock { count -> Int? in
            guard count < number else { return nil }
            count += 1
            return count - 1
        }
        return index.map(make)
    }

    func makeIterator() -> AnyIterator<Push> { AnyIterator { self.next() } }

    /// Returns once this many were read.
    func wait(for number: Int) async { await until { read >= number } }
}

/// What came of a bulk, counted.
struct BulkTally: Sendable {
    private(set) var summary: [String: Int] = [:]
    private(set) var indices: [Int] = []
    private(set) var attempts = 0
    var error: (any Error)?

    mutating func add(_ outcome: BulkOutcome) {
        indices.append(outcome.index)
        attempts += outcome.attempts
        switch outcome.result {
        case .success(let response): summary[response.isAccepted ? "accepted" : "rejected", default: 0] += 1
        case .failure(let error): summary["\(error.code) \(error.certainty.rawValue)", default: 0] += 1
        }
    }

    var count: Int { indices.count }

    /// True if the first this many elements, and no others, had one outcome each.
    func isComplete(_ number: Int) -> Bool { indices.count == number && indices.sorted() == Array(0..<number) }
}

extension BulkPush {
    /// Takes everything.
    func tally() async -> BulkTally {
        var tally = BulkTally()
        do { for try await outcome in self { tally.add(outcome) } } catch { tally.error = error }
        return tally
    }
}

extension Rehearsal {
    /// The connection that stories about bulks push over.
    var orders: PushConnection { get throws { try runtime.connection(named: "orders") } }

    /// A connection whose link is up, and useful; one push went over it.
    static func withLink(
        inFlight: Int = 1_000, faults: ProcessFaults = ProcessFaults(), owner: Mailbox<LifecycleMessage>? = nil,
        _ change: @Sendable (inout PushConnection.Configuration) -> Void = { _ in }
    ) async throws -> Rehearsal {
        let stage = try Rehearsal.inMemory(faults: faults)
        let config = stage.patientConfig.with {
            $0.limits.maxInFlight = inFlight
            change(&$0)
        }
        try stage.runtime.connect(name: "orders", config: config, owner: owner)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(999_999))
        try await until { try stage.runtime.connection(named: "orders").status.streamLimit >= inFlight }
        return stage
    }

    /// Returns once this many pushes are in flight and this many wait, all of them handed over.
    func isLoaded(inFlight: Int, waiting: Int) async throws {
        try await until {
            let load = try runtime.connection(named: "orders").load
            return load.inFlight == inFlight && load.waiting == waiting
        }
    }

    /// Lets time pass whenever something waits for a moment that is near, until the task has ended – but not while a link is
    /// dialled or a push is in flight, or about to be: on a busy machine an attempt, or an answer, would then be late by the clock of
    /// the story.
    func pump<Result: Sendable>(
        while task: Task<Result, any Error>, upTo limit: Duration = .seconds(1)
    ) async throws -> Result {
        let pump = Task {
            while let time, !Task.isCancelled {
                guard let next = await time.waitUntilArmed(by: time.now.advanced(by: limit)) else { return }
                guard isAtRest else {
                    await until { isAtRest }
                    continue
                }
                time.advance(by: time.now.duration(to: next))
            }
        }
        defer { pump.cancel() }
        return try await task.value
    }

    /// Nothing is under way that takes no time here.
    private var isAtRest: Bool {
        guard let status = try? runtime.connection(named: "orders").status,
            let load = try? runtime.connection(named: "orders").load
        else {
            return true
        }
        // What waits while a link is up is about to be written.
        return status.phase != .dialing && load.inFlight == 0 && (status.phase != .up || load.waiting == 0)
    }
}
