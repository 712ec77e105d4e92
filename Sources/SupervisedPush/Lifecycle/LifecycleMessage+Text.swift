import FoundationEssentials
import ProcessRuntime

extension LifecycleMessage {
    /// The name of the connection or the pool. Nil for an anonymous connection, and for `current`, `down` and
    /// `overflowed`, which do not tell it; ``ConnectionEvent/name`` does.
    public var name: String? {
        switch self {
        case .connectionUp(_, let name, _), .reconnecting(_, let name, _, _, _), .draining(_, let name, _, _),
            .replacementFailed(_, let name, _, _, _), .suspended(_, let name, _, _),
            .credentialExpiring(_, let name, _), .credentialReloadFailed(_, let name, _), .handedBack(_, let name, _),
            .feedbackOverflow(_, let name, _), .givenUp(let name):
            name
        case .lateResponse(let response): response.name
        case .current, .down, .overflowed: nil
        }
    }

    /// The process that the message is about. Nil for `givenUp`, which comes after the last process, and for
    /// `overflowed`.
    public var pid: ProcessID? {
        switch self {
        case .current(_, let pid, _), .connectionUp(let pid, _, _), .reconnecting(let pid, _, _, _, _),
            .draining(let pid, _, _, _), .replacementFailed(let pid, _, _, _, _), .suspended(let pid, _, _, _),
            .credentialExpiring(let pid, _, _), .credentialReloadFailed(let pid, _, _), .handedBack(let pid, _, _),
            .feedbackOverflow(let pid, _, _), .down(let pid, _):
            pid
        case .lateResponse(let response): response.pid
        case .givenUp, .overflowed: nil
        }
    }
}

extension LifecycleMessage: CustomStringConvertible {
    /// One line, for example `"orders" <7>: connectionUp, generation 1`. It shows no device token and no payload.
    public var description: String { line(name: name) }

    /// - Parameter name: The name of the connection, which not every message tells.
    func line(name: String?) -> String {
        let words = [name.map { "\"\($0)\"" }, pid.map { "\($0)" }].compactMap(\.self)
        return words.isEmpty ? fact : "\(words.joined(separator: " ")): \(fact)"
    }

    /// What happened, in a word: the name of the case.
    package var word: String { String(fact.prefix { $0.isLetter }) }

    /// The message without its name and its pid.
    private var fact: String {
        switch self {
        case .current(let phase, _, let generation): "current, \(phase), generation \(generation)"
        case .connectionUp(_, _, let generation): "connectionUp, generation \(generation)"
        case .reconnecting(_, _, let attempt, let delay, let cause):
            "reconnecting, attempt \(attempt) in \(delay.logged): \(cause)"
        case .draining(_, _, let generation, let reason):
            "draining, generation \(generation)\(reason.map { ": \($0)" } ?? "")"
        case .replacementFailed(_, _, let attempt, let delay, let cause):
            "replacementFailed, attempt \(attempt) in \(delay.logged): \(cause)"
        case .suspended(_, _, let cause, let nextProbe): "suspended, next probe in \(nextProbe.logged): \(cause)"
        case .credentialExpiring(_, _, let notAfter): "credentialExpiring, at \(notAfter.timestamp)"
        case .credentialReloadFailed(_, _, let error): "credentialReloadFailed: \(error)"
        case .lateResponse(let response): "lateResponse, \(response.pushID): \(response.outcome.words)"
        case .handedBack(_, _, let pushes): "handedBack, number \(pushes.count)"
        case .feedbackOverflow(_, _, let count): "feedbackOverflow, number \(count)"
        case .down(_, let reason): "down, \(reason)"
        case .givenUp: "givenUp"
        case .overflowed(let count): "overflowed, number \(count)"
        }
    }
}

extension LateResponse.Outcome {
    fileprivate var words: String {
        switch self {
        case .answered(let response): "answered \(response)"
        case .unprocessed: "unprocessed"
        case .noAnswer: "no answer"
        }
    }
}
