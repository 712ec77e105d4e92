import PushLocking

/// A store that counts, and answers as it is told.
final class Vault: Sendable {
    struct Sealed: Error {}

    private struct State {
        var calls = 0
        var answers: [Result<String, Sealed>]
        var gate: [CheckedContinuation<Void, Never>]?
    }

    private let state: Locked<State>

    /// The last answer is given to all further calls.
    init(_ answers: [Result<String, Sealed>], isSlow: Bool = false) {
        state = Locked(State(answers: answers, gate: isSlow ? [] : nil))
    }

    var calls: Int { state.withLock { $0.calls } }

    func key() async throws -> [UInt8] {
        let answer = state.withLock { state in
            state.calls += 1
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
        }
        await withCheckedContinuation { continuation in
            let passes = state.withLock { state in
                state.gate?.append(continuation)
                return state.gate == nil
            }
            if passes { continuation.resume() }
        }
        return Array(try answer.get().utf8)
    }

    /// What all further calls are given.
    func answer(_ answer: Result<String, Sealed>) { state.withLock { $0.answers = [answer] } }

    /// Has further calls wait.
    func close() { state.withLock { $0.gate = $0.gate ?? [] } }

    /// Lets the calls go on that wait, and all further ones.
    func open() {
        let waiting = state.withLock { state in
            defer { state.gate = nil }
            return state.gate ?? []
        }
        for continuation in waiting { continuation.resume() }
    }
}
