import FoundationEssentials
import ProcessRuntime

/// What happens to a connection, as its owner and its subscribers see it in their mailboxes.
///
/// The messages of one connection arrive in the order of the events. A full mailbox loses the newest messages, then
/// reports their number with `overflowed`.
@nonexhaustive public enum LifecycleMessage: MailboxMessage {
    /// The first message to a subscriber: the connection's present state. Later messages report changes.
    case current(phase: ConnectionPhase, pid: ProcessID, generation: Int)

    /// A link is up and pushes flow: TLS is done, and the peer's SETTINGS have arrived. Also sent for the first link.
    ///
    /// `generation` counts the links of this process from 1. A number is missing if its link carried a probe that APNs
    /// refused. The link may have ended by the time you read this.
    case connectionUp(pid: ProcessID, name: String?, generation: Int)

    /// There is no link, and the next attempt to connect begins after `delay`. Sent once for a lost link and once per
    /// failed attempt. `attempt` counts from 1, again after each link that was useful.
    ///
    /// Pushes wait in the meantime. The delay is randomized, so do not rely on its exact value. If the layer of `cause`
    /// is `credential`, a key, certificate or provider token could not be loaded, and the next attempt loads it again.
    case reconnecting(pid: ProcessID, name: String?, attempt: Int, delay: Duration, cause: LinkFailure)

    /// A link takes no more pushes. Its last streams may finish, within 60 s, while a replacement link takes over.
    ///
    /// `reason` is the reason that the peer gave, if any: in its GOAWAY, or by refusing the link's provider token, for
    /// example `ExpiredProviderToken`. It is `stalled` if the link answers PINGs but no pushes, and `stream numbers
    /// used up` if that is the cause. It is nil also if the link is replaced by choice.
    case draining(pid: ProcessID, name: String?, generation: Int, reason: String?)

    /// A link that still works was to be replaced, and the replacement link could not be connected. Pushes continue
    /// over the old link, and the next attempt begins after `delay`. `attempt` counts from 1 for each replacement.
    case replacementFailed(pid: ProcessID, name: String?, attempt: Int, delay: Duration, cause: LinkFailure)

    /// APNs refuses the credential, and retrying does not help: a certificate is not valid or belongs to the other
    /// environment, or a key does not belong to the team. Waiting pushes have ended with `credentialRefused`, and every
    /// new push fails at the call with the same cause. Pushes in flight may still be answered; nothing is dialled. The
    /// name stays; `replaceCredential` ends the suspension.
    ///
    /// The first push after `nextProbe` tries the credential again; that time is 1 s and doubles with each refusal up
    /// to ``PushConnection/Configuration/Retry/probeCeiling``. If the probe is accepted, `connectionUp` follows. If it
    /// is refused, this message is posted again. If it ends otherwise, nothing is posted, and the next push after the
    /// same time may try. Without a push there is no probe.
    ///
    /// `cause` says what APNs said and what to do. The links of refused probes have generations of their own, which are
    /// therefore missing from `connectionUp`.
    case suspended(pid: ProcessID, name: String?, cause: CredentialRefusal, nextProbe: Duration)

    /// The certificate in use expires at `notAfter`: told 30, 7 and 1 days ahead, once each, and at
    /// the start where one of these is passed already. `pid` and `name` are those of the connection or the pool.
    case credentialExpiring(pid: ProcessID, name: String?, notAfter: Date)

    /// Changed files, or what a poll found, could not replace the credential in use, which stays: see
    /// ``CredentialReload/watching(every:)`` and ``CredentialReload/every(_:)``. `error` says why; it shows no secret.
    case credentialReloadFailed(pid: ProcessID, name: String?, error: ConnectError)

    /// What happened to a push after it was reported `timedOut`.
    case lateResponse(LateResponse)

    /// Fire-and-forget pushes that ended without an answer, handed back to the connection's owner: they were unknown
    /// when a link was lost, timed out, were dropped for a later push, or remained when the connection was given up, or
    /// closed without a caller waiting for the result of `close`.
    ///
    /// The message takes as much of the mailbox's limit as it has pushes. Pushes that a full, closed or absent mailbox
    /// does not take are counted in the log.
    case handedBack(pid: ProcessID, name: String?, HandBack)

    /// This many feedback events were dropped, because the feedback handler is too slow.
    case feedbackOverflow(pid: ProcessID, name: String?, count: Int)

    /// A process ended, and why. Sent once per pid. A named connection may be restarted under a new pid, but not after
    /// a `failure` with a ``CredentialRefusal``: APNs refuses the credential, and the configuration says
    /// ``OnRefusedCredential/giveUp``.
    case down(pid: ProcessID, reason: ExitReason)

    /// The connection ended without being closed: its process failed too often, or ended in a way that its policy does
    /// not restart. Every waiting caller has its outcome, and the name is free. No message follows.
    case givenUp(name: String?)

    /// This many messages were lost here, because this mailbox was full.
    case overflowed(_ count: Int)

    /// 1; for `handedBack` the number of its pushes.
    public var weight: Int {
        if case .handedBack(_, _, let pushes) = self { pushes.count } else { 1 }
    }
}

/// The phase of a connection.
@nonexhaustive public enum ConnectionPhase: String, Sendable, Hashable {
    /// A link is being set up; pushes wait.
    case dialing
    /// Pushes flow.
    case up
    /// The connection pauses between two attempts to connect; pushes wait.
    case down
    /// APNs refuses the credential. Pushes fail at once with `credentialRefused`; from time to time one tries the
    /// credential again.
    case suspended
    /// It was closed or given up: pushes fail at the call.
    case ended
}

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
