import PushLocking
import PushTerminal
import SupervisedPush

/// Follows the first link of a command that makes one request: says each cause of a failure once, and gives up at once
/// if no later attempt can succeed.
final class FirstLink: ConnectionObserver {
    private let endpoint: String
    private let say: @Sendable (LogLine) -> Void
    private let giveUp: @Sendable () -> Void
    private let steps: LinkSteps?
    private let said = Locked<Set<String>>([])
    private let wasUp = Locked(false)

    /// - Parameter steps: Where to say when each step was done; nil for nowhere.
    init(
        endpoint: String, steps: LinkSteps? = nil, say: @escaping @Sendable (LogLine) -> Void,
        giveUp: @escaping @Sendable () -> Void
    ) {
        self.endpoint = endpoint
        self.steps = steps
        self.say = say
        self.giveUp = giveUp
    }

    func linkDialed(_ connection: ObservedConnection, link: Int) {
        steps?.done("link \(link) to \(endpoint) is dialed")
    }

    func linkSecured(_ connection: ObservedConnection, link: Int, isResumed: Bool) {
        steps?.done("TLS is up\(isResumed ? ", resumed" : "")")
    }

    func settingsReceived(_ connection: ObservedConnection, link: Int, maxStreams: Int?) {
        steps?.done("SETTINGS: \(maxStreams.map { "at most \($0)" } ?? "any number of") streams at a time")
    }

    func connectionUp(_ connection: ObservedConnection, generation: Int) { wasUp.withLock { $0 = true } }

    func reconnecting(_ connection: ObservedConnection, attempt: Int, delay: Duration, cause: LinkFailure) {
        // The command's last line says why.
        guard !cause.isLasting else {
            // Another connection of a pool may have the request.
            if !wasUp.withLock({ $0 }) { giveUp() }
            return
        }
        guard said.withLock({ $0.insert(cause.description).inserted }) else { return }
        say(LogLine("pushctl: no link to \(endpoint): \(cause.description)".onOneLine, .warning))
    }

    /// Leaves out the lines of a `LinkWatch` about each attempt.
    static func withoutLinks(_ say: @escaping @Sendable (LogLine) -> Void) -> @Sendable (LogLine) -> Void {
        { line in
            if !line.text.hasPrefix("pushctl: no link to ") { say(line) }
        }
    }

    /// What to say of a request that no link came up for; nil if it ended for another reason.
    static func sentence(_ error: PushError) -> String? {
        switch error.code {
        case .timedOut, .closed: "No link came up, so nothing was sent. It is safe to try again."
        case .expired: "No link came up before its apns-expiration, so nothing was sent."
        default: nil
        }
    }
}
