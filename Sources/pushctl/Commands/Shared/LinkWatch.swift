import ProcessRuntime
import PushCampaign
import PushLocking
import PushTerminal
import SupervisedPush

/// What happens to the links of a connection.
enum LinkNews: Equatable, Sendable {
    case up
    /// - left: How many of the connection's links are still up.
    case down(cause: String, left: Int)
}

/// Follows a connection through its lifecycle messages: whether it has been up, and how long it has been down.
///
/// It reports on standard error when the link is lost and when it is back, but not when it first comes up.
final class LinkWatch: Sendable {
    struct Events: Sendable {
        /// Called once, after `maxOutage` without a link.
        var outage: @Sendable () -> Void = {}
        /// Called once, when the server refuses the credential.
        var credentialRefused: @Sendable () -> Void = {}
        /// Told in place of standard error, by a command that says for many connections together how their links are.
        var links: (@Sendable (LinkNews) -> Void)?
    }

    fileprivate struct State {
        var wasEverUp = false
        var lastFailure: LinkFailure?
        var refusedCredential = false
        /// The connections whose link is up; a pool may have several.
        var up: Set<ProcessID> = []
        /// Nil while a link is up.
        var downSince: ContinuousClock.Instant? = .now
        /// When the others try again.
        var attempts: [ProcessID: ContinuousClock.Instant] = [:]
    }

    let mailbox = Mailbox<LifecycleMessage>(limit: 20_000)
    private let state = Locked(State())
    let endpoint: String
    /// Nil if outages are handled elsewhere.
    private let maxOutage: Duration?
    private let say: @Sendable (LogLine) -> Void
    private let events: Events

    init(
        endpoint: String, maxOutage: Duration? = nil, say: @escaping @Sendable (LogLine) -> Void, _ events: Events
    ) {
        self.endpoint = endpoint
        self.maxOutage = maxOutage
        self.say = say
        self.events = events
    }

    var wasEverUp: Bool { state.withLock { $0.wasEverUp } }

    /// Why the latest attempt to connect failed, or the link was lost.
    var lastFailure: LinkFailure? { state.withLock { $0.lastFailure } }

    /// That there is no link, and why, on one line.
    var absence: String {
        let cause = lastFailure.map { ": \(Self.cause($0, endpoint))" } ?? ""
        return "no link to \(endpoint)\(cause)".onOneLine
    }

    /// Whether the server has refused the credential.
    var refusedCredential: Bool { state.withLock { $0.refusedCredential } }

    /// The links now.
    ///
    /// - Parameter total: How many there may be.
    func standing(total: Int) -> LinkStanding {
        let (state, now) = (state.withLock { $0 }, ContinuousClock.now)
        var standing = LinkStanding()
        standing.endpoint = endpoint
        (standing.up, standing.total) = (state.up.count, max(total, state.up.count))
        standing.downFor = state.downSince.map { $0.duration(to: now) / .seconds(1) }
        // One that is due is under way.
        let next = state.attempts.values.filter { $0 > now }.min()
        standing.nextAttempt = next.map { now.duration(to: $0) / .seconds(1) }
        standing.cause = state.lastFailure.map { Self.cause($0, endpoint) }
        standing.isRefused = state.refusedCredential
        return standing
    }

    /// Follows until the mailbox is closed and empty.
    func run() async {
        var hasGivenUp = false
        var wasAnnounced = false
        while true {
            let downSince = state.withLock { $0.downSince }
            let left = hasGivenUp ? nil : downSince.flatMap { since in maxOutage.map { $0 - since.duration(to: .now) } }
            guard let message = await mailbox.receive(timeout: left) else {
                if mailbox.isClosed { return }
                hasGivenUp = true
                events.outage()
                continue
            }
            switch message {
            case .connectionUp(let pid, _, _):
                state.withLock { $0.isUp(pid) }
                if let links = events.links {
                    links(.up)
                } else if wasAnnounced {
                    say(LogLine("pushctl: connected to \(endpoint)"))
                }
                wasAnnounced = false
            case .reconnecting(let pid, _, _, let delay, let cause):
                let left = state.withLock { $0.isDown(pid, again: delay, cause) }
                if left == 0 { wasAnnounced = true }
                if let links = events.links {
                    links(.down(cause: Self.cause(cause, endpoint), left: left))
                } else {
                    say(LogLine(Self.line(endpoint, delay: delay, cause: cause, left: left), .warning))
                }
            case .replacementFailed(_, _, _, let delay, let cause):
                let next = "next attempt in \(Figures.wait(delay / .seconds(1)))"
                let what = "a link to \(endpoint) is about to end, and no new link is up yet"
                say(LogLine("pushctl: \(what): \(Self.cause(cause, endpoint)); \(next)".onOneLine, .warning))
            case .credentialExpiring(_, _, let end): say(LogLine(Self.line(expiring: end.unixSeconds), .warning))
            case .suspended(_, _, let refusal, _): refused(refusal)
            case .down(_, .failure(let refusal as CredentialRefusal)): refused(refusal)
            case .down(let pid, _): state.withLock { $0.isGone(pid) }
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
        say(LogLine("pushctl: \(refusal.description)".onOneLine, .error))
        events.credentialRefused()
    }

    /// - Parameter left: How many links are still up.
    private static func line(_ endpoint: String, delay: Duration, cause: LinkFailure, left: Int) -> String {
        let what = left == 0 ? "no link to \(endpoint)" : "a link to \(endpoint) is gone, \(left) left"
        let next = "next attempt in \(Figures.wait(delay / .seconds(1)))"
        return "pushctl: \(what): \(Self.cause(cause, endpoint)); \(next)".onOneLine
    }

    /// Why there is no link, without the endpoint that stands before it.
    static func cause(_ failure: LinkFailure, _ endpoint: String) -> String {
        let prefix = "No connection to \(endpoint): "
        guard failure.description.hasPrefix(prefix) else { return clause(failure.description) }
        return clause(String(failure.description.dropFirst(prefix.count)))
    }

    /// A certificate ends at a time of its own, which need not be this minute in this many days.
    static func line(expiring end: Int64, now: Int64 = UTC.now) -> String {
        guard end > now else { return "pushctl: the provider certificate expired on \(UTC.date(end))" }
        let days = (end - now) / 86_400
        let span = days == 0 ? "in less than a day" : days == 1 ? "in 1 day" : "in \(days) days"
        return "pushctl: the provider certificate expires \(span), on \(UTC.date(end))"
    }

    /// A sentence as a part of another one: without its capital, unless that is of a name, and without its period.
    static func clause(_ sentence: String) -> String {
        let isName = sentence.dropFirst().first?.isLowercase != true
        let text = isName ? sentence : sentence.lowercasedFirst
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}

extension LinkWatch.State {
    fileprivate mutating func isUp(_ pid: ProcessID) {
        wasEverUp = true
        downSince = nil
        up.insert(pid)
        attempts[pid] = nil
    }

    /// Returns how many links are still up.
    fileprivate mutating func isDown(_ pid: ProcessID, again delay: Duration, _ cause: LinkFailure) -> Int {
        lastFailure = cause
        up.remove(pid)
        attempts[pid] = ContinuousClock.now + delay
        if up.isEmpty { downSince = downSince ?? .now }
        return up.count
    }

    fileprivate mutating func isGone(_ pid: ProcessID) {
        attempts[pid] = nil
        if up.remove(pid) != nil, up.isEmpty { downSince = downSince ?? .now }
    }
}
