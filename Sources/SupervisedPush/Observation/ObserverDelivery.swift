import PushHTTP2
import PushLocking

/// Calls an observer for one event after the other, in a task of its own. At most 1,000 calls wait.
final class ObserverDelivery: Sendable {
    typealias Call = @Sendable (any ConnectionObserver, ObservedConnection) -> Void

    private enum Message: MailboxMessage {
        case call(ProcessID, Call)
        case overflowed(_ count: Int)
    }

    static let limit = 1_000

    private let mailbox = Mailbox<Message>(limit: ObserverDelivery.limit)

    init(_ observer: any ConnectionObserver, name: String?) {
        Task { [mailbox] in
            var latest: ProcessID?
            for await message in mailbox {
                switch message {
                case .call(let pid, let call):
                    latest = pid
                    call(observer, ObservedConnection(name: name, pid: pid))
                case .overflowed(let count):
                    guard let latest else { continue }
                    observer.factsDropped(ObservedConnection(name: name, pid: latest), count: count)
                }
            }
        }
    }

    func post(_ pid: ProcessID, _ call: @escaping Call) { _ = mailbox.post(.call(pid, call)) }

    /// The observer still receives earlier events, then its task ends.
    func close() { mailbox.close() }
}

extension LinkFact {
    /// The observer's call for it; nil if there is none.
    func call(link: Int) -> ObserverDelivery.Call? {
        switch self {
        case .dialed: { $0.linkDialed($1, link: link) }
        case .secured(let isResumed): { $0.linkSecured($1, link: link, isResumed: isResumed) }
        case .unpinned(let keys):
            { [keys = keys.map(SPKIPin.init)] in $0.pinMismatch($1, link: link, keys: keys) }
        case .settings(let settings):
            { $0.settingsReceived($1, link: link, maxStreams: settings.maxConcurrentStreams) }
        case .goAway(let lastStream, _, let reason):
            { $0.goAwayReceived($1, link: link, lastStream: Int(lastStream), reason: reason) }
        case .lost(let cause): { $0.linkLost($1, link: link, cause: cause) }
        case .abandoned: { $0.linkAbandoned($1, link: link) }
        case .ping, .pong, .closed: nil
        }
    }
}

extension ConnectionFact {
    func call(name: String?, pid: ProcessID) -> ObserverDelivery.Call {
        switch self {
        case .connectionUp(let generation): { $0.connectionUp($1, generation: generation) }
        case .reconnecting(let attempt, let delay, let cause):
            { $0.reconnecting($1, attempt: attempt, delay: delay, cause: cause) }
        case .replacementFailed(let attempt, let delay, let cause):
            { $0.replacementFailed($1, attempt: attempt, delay: delay, cause: cause) }
        case .draining(let generation, let reason): { $0.draining($1, generation: generation, reason: reason) }
        case .suspended(let cause, let nextProbe): { $0.suspended($1, cause: cause, nextProbe: nextProbe) }
        case .credentialRefused(let cause): { $0.credentialRefused($1, cause: cause) }
        case .retriesStopped(let opening):
            {
                $0.retriesStopped(
                    $1, failures: opening.failures, answers: opening.answers, pause: RetryBreaker.pause)
            }
        case .late(let record, let streamID, let outcome):
            { [response = LateResponse(record, streamID: streamID, outcome: outcome, name: name, pid: pid)] in
                $0.lateResponse($1, response)
            }
        }
    }
}
