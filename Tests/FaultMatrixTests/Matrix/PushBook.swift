import Dispatch
import PushLocking
import SupervisedPush

/// The client's ledger: each push of a cell with its apns-id and its outcomes.
final class PushBook: Sendable {
    typealias Outcome = Result<PushResponse, PushError>

    private struct State {
        var ids: [Int: APNSID] = [:]
        var outcomes: [Int: [Outcome]] = [:]
        var count = 0
        var waiter: (count: Int, continuation: CheckedContinuation<Bool, Never>)?
    }

    private let state = Locked(State())

    func note(_ number: Int, _ id: APNSID?) { state.withLock { $0.ids[number] = id } }

    func completion(_ number: Int) -> @Sendable (Outcome) -> Void {
        { outcome in
            let ready = self.state.withLock { state -> CheckedContinuation<Bool, Never>? in
                state.outcomes[number, default: []].append(outcome)
                state.count += 1
                guard let waiter = state.waiter, waiter.count <= state.count else { return nil }
                state.waiter = nil
                return waiter.continuation
            }
            ready?.resume(returning: true)
        }
    }

    /// Returns true once this many outcomes are here, false if they do not come.
    func wait(for count: Int, within limit: Duration = .seconds(120)) async -> Bool {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.count >= count { return true }
                state.waiter = (count, continuation)
                return false
            }
            if isReached { return continuation.resume(returning: true) }
            DispatchQueue.global(qos: .userInteractive).asyncAfter(
                deadline: .now() + .milliseconds(Int(limit / .milliseconds(1)))
            ) { self.giveUp(count) }
        }
    }

    private func giveUp(_ count: Int) {
        let late = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard let waiter = state.waiter, waiter.count == count else { return nil }
            state.waiter = nil
            return waiter.continuation
        }
        late?.resume(returning: false)
    }

    var count: Int { state.withLock { $0.count } }
    var outcomes: [Int: [Outcome]] { state.withLock { $0.outcomes } }
    var ids: [Int: APNSID] { state.withLock { $0.ids } }

    /// How many ended how: for a failed test's message.
    var summary: String {
        var counts: [String: Int] = [:]
        for case let outcome in outcomes.values.joined() {
            switch outcome {
            case .success(let response): counts["\(response.status)", default: 0] += 1
            case .failure(let error): counts["\(error.code) \(error.certainty.rawValue)", default: 0] += 1
            }
        }
        return counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    }
}
