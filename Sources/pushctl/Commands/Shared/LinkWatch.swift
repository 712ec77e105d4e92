import ProcessRuntime
import PushLocking
import SupervisedPush

/// Follows a connection through its lifecycle messages: whether it has been up, how long it has been down, and late
/// answers.
///
/// It reports on standard error when the link is lost and when it is back, but not when it first comes up.
final class LinkWatch: Sendable {
    struct Events: Sendable {
        var late: @Sendable (LateResponse) -> Void = { _ in }
        /// Called once, after `maxOutage` without a link.
        var outage: @Sendable () -> Void = {}
        /// Called once, when the server refuses the credential.
        var credentialRefused: @Sendable () -> Void = {}
    }

    private struct State {
        var wasEverUp = false
        var lastFailure: LinkFailure?
        var refusedCredential = false
    }

    let mailbox = Mailbox<LifecycleMessage>(limit: 20_000)
    private let state = Locked(State())
    let endpoint: String
    /// Nil if outages are handled elsewhere.
    private let maxOutage: Duration?
    private let say: @Sendable (String) -> Void
    private let events: Events

    init(
        endpoint: String, maxOutage: Duration? = nil, say: @escaping @Sendable (String) -> Void, _ events: Events
    ) {
        self.endpoint = endpoint
        self.maxOutage = maxOutage
        self.say = say
        self.events = events
    }

    var wasEverUp: Bool { state.withLock { $0.wasEverUp } }

    /// Why the latest attempt to connect failed, or the link was lost.
    var lastFailure: LinkFailure? { state.withLock { $0.lastFailure } }

    /// Whether the server has refused the credential.
    var refusedCredential: Bool { state.withLock { $0.refusedCredential } }

    /// Follows until the mailbox is closed and empty.
    func run() async {
        var downSince: ContinuousClock.Instant? = .now
        /// The connections whose link is up; a pool may have several.
        var up: Set<ProcessID> = []
        var hasGivenUp = false
        var wasAnnounced = false
        while true {
            let left = hasGivenUp ? nil : downSince.flatMap { since in maxOutage.map { $0 - since.duration(to: .now) } }
            guard let message = await mailbox.receive(timeout: left) else {
                if mailbox.isClosed { return }
                hasGivenUp = true
                events.outage()
                continue
            }
            switch message {
            case .connectionUp(let pid, _, _):
                up.insert(pid)
                state.withLock { $0.wasEverUp = true }
                downSince = nil
                if wasAnnounced { say("pushctl: connected to \(endpoint)") }
                wasAnnounced = false
            case .reconnecting(let pid, _, _, let delay, let cause):
                state.withLock { $0.lastFailure = cause }
                up.remove(pid)
                if up.isEmpty {
                    downSince = downSince ?? .now
                    wasAnnounced = true
                }
                say(Self.line(endpoint, delay, cause, left: up.count))
            case .suspended(_, _, let refusal, _): refused(refusal)
            case .down(_, .failure(let refusal as CredentialRefusal)): refused(refusal)
            case .down(let pid, _):
                if up.remove(pid) != nil, up.isEmpty { downSince = downSince ?? .now }
            case .lateResponse(let late): events.late(late)
            default: break
            }
        }
    }

    private func refused(_ refusal: CredentialRefusal) {
        let isNew = state.withLock { state in
            defer { state.refusedCredential = true }
            return !state.refusedCredential
        }
        guard isNew else { return }
        say("pushctl: \(refusal.description)".onOneLine)
        events.credentialRefused()
    }

    /// - Parameter left: How many links are still up.
    private static func line(_ endpoint: String, _ delay: Duration, _ cause: LinkFailure, left: Int) -> String {
        let seconds = Figures.tenths(delay / .seconds(1))
        let what = left == 0 ? "no link to \(endpoint)" : "a link to \(endpoint) is gone, \(left) left"
        return "pushctl: \(what): \(cause.description) Next attempt in \(seconds) s.".onOneLine
    }
}
