import SupervisedPush

/// Tells each fact as a line to a mailbox, so that a test can wait for one.
struct RecordingObserver: ConnectionObserver {
    enum Line: MailboxMessage {
        case fact(String)
        case overflowed(_ count: Int)
    }

    let lines = Mailbox<Line>()

    /// The facts up to and with the first that begins so.
    func facts(through prefix: String) async -> [String] {
        var facts: [String] = []
        for await case .fact(let line) in lines {
            facts.append(line)
            if line.hasPrefix(prefix) { return facts }
        }
        return facts
    }

    private func note(_ connection: ObservedConnection, _ line: String) {
        lines.post(.fact(connection.name == nil ? "anonymous \(line)" : line))
    }

    func processStarted(_ connection: ObservedConnection, restarts: Int) { note(connection, "started \(restarts)") }
    func providerTokenChanged(_ connection: ObservedConnection, number: Int) { note(connection, "token \(number)") }
    func linkDialed(_ connection: ObservedConnection, link: Int) { note(connection, "dialed \(link)") }
    func settingsReceived(_ connection: ObservedConnection, link: Int, maxStreams: Int?) {
        note(connection, "settings \(link): \(maxStreams ?? -1)")
    }
    func connectionUp(_ connection: ObservedConnection, generation: Int) { note(connection, "up \(generation)") }
    func linkLost(_ connection: ObservedConnection, link: Int, cause: LinkFailure) {
        note(connection, "lost \(link): \(cause.layer)")
    }
    func linkAbandoned(_ connection: ObservedConnection, link: Int) { note(connection, "abandoned \(link)") }
    func goAwayReceived(_ connection: ObservedConnection, link: Int, lastStream: Int, reason: String?) {
        note(connection, "goaway \(link): \(lastStream) \(reason ?? "none")")
    }
    func draining(_ connection: ObservedConnection, generation: Int, reason: String?) {
        note(connection, "draining \(generation)")
    }
    func reconnecting(_ connection: ObservedConnection, attempt: Int, delay: Duration, cause: LinkFailure) {
        note(connection, "reconnecting \(attempt): \(cause.layer)")
    }
    func retriesStopped(_ connection: ObservedConnection, failures: Int, answers: Int, pause: Duration) {
        note(connection, "retries stopped \(failures) of \(answers)")
    }
    func lateResponse(_ connection: ObservedConnection, _ response: LateResponse) { note(connection, "late") }
    func feedbackDropped(_ connection: ObservedConnection, count: Int) { note(connection, "feedback \(count)") }
    func handBackLost(_ connection: ObservedConnection, count: Int) { note(connection, "hand-back \(count)") }
    func processEnded(_ connection: ObservedConnection, reason: ExitReason) { note(connection, "ended \(reason)") }
    func givenUp(_ connection: ObservedConnection) { note(connection, "given up") }
    func factsDropped(_ connection: ObservedConnection, count: Int) { note(connection, "dropped \(count)") }
}
