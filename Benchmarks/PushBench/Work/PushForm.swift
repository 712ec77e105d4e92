import ArgumentParser
import SupervisedPush

/// Which form of push makes the load.
enum PushForm: String, CaseIterable, ExpressibleByArgument {
    /// A completion, which makes the next push.
    case completion
    /// As many tasks as pushes in flight, each pushing one after the other.
    case async
    /// As many threads.
    case blocking
    /// One thread, with completions.
    case caller

    func run(
        _ count: Int, inFlight: Int, _ work: Work, through name: String, of runtime: PushRuntime
    ) async -> Tally {
        let load = LoadTarget(runtime: runtime, name: name, work: work)
        switch self {
        case .completion: return await CompletionLoad(load).run(count, inFlight: inFlight)
        case .async: return await TaskLoad(load).run(count, inFlight: inFlight)
        case .blocking: return await ThreadLoad(load).run(count, inFlight: inFlight)
        case .caller: return await PacedLoad(load).runFull(count, inFlight: inFlight)
        }
    }
}

/// Where a load goes and what it consists of.
struct LoadTarget: Sendable {
    let runtime: PushRuntime
    let name: String
    let work: Work

    /// Makes the push with this number, in the completion form.
    func push(_ number: Int, _ completion: @escaping @Sendable (Result<PushResponse, PushError>) -> Void) {
        runtime.push(name: name, work.notification(number), to: work.token(number), completion: completion)
    }
}

/// How pushes ended.
struct Tally: Sendable {
    private(set) var accepted = 0
    private(set) var failed = 0
    /// The first that failed, as a sentence.
    private(set) var failure: String?

    mutating func note(_ outcome: Result<PushResponse, PushError>) {
        if case .success(let response) = outcome, response.isAccepted { return accepted += 1 }
        failed += 1
        if failure == nil { failure = "\(outcome)" }
    }

    mutating func note(accepted count: Int) { accepted += count }

    static func + (one: Tally, other: Tally) -> Tally {
        var sum = one
        sum.accepted += other.accepted
        sum.failed += other.failed
        sum.failure = one.failure ?? other.failure
        return sum
    }

    /// A figure over pushes that failed would be none.
    func requireAllAccepted() throws {
        guard failed == 0 else {
            throw BenchError("\(failed) of \(failed + accepted) pushes failed: \(failure ?? "")")
        }
    }
}
