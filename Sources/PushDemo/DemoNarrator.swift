import PushLocking
import PushTerminal
import SupervisedPush

/// Reports on standard error what happens, as it happens.
final class DemoNarrator: Sendable {
    /// How many feedback events are reported in full; later ones are counted.
    private static let mostFeedback = 4

    private let stopwatch = Stopwatch()
    private let feedback = Locked(0)

    var seconds: Double { stopwatch.seconds }
    var feedbackCount: Int { feedback.withLock { $0 } }

    func say(_ who: String, _ what: String, in tone: Tone = .plain) {
        let hundredths = Int((stopwatch.seconds * 100).rounded())
        let clock = "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10) s"
        let style = TerminalStyle.standardError
        let head = "\(Self.padded(clock, to: 8, right: true))  \(Self.padded(who, to: 9))"
        StandardError.writeRaw(style.paint(style.row([Span(head)], text: what.onOneLine), in: tone) + "\n")
    }

    /// A lifecycle message from the mailbox of the connection's owner.
    func say(_ who: String, _ message: LifecycleMessage) {
        switch message {
        case .connectionUp(_, _, let generation): say(who, "connectionUp: link \(generation)", in: .good)
        case .reconnecting(_, _, _, let delay, let cause):
            let seconds = Figures.tenths(delay / .seconds(1))
            say(who, "reconnecting: \(cause) Next attempt in \(seconds) s; pushes wait.", in: .bad)
        case .draining(_, _, let generation, let reason):
            say(who, "draining: link \(generation) will end (\(reason ?? "no reason")); a new link is dialled")
        case .suspended(_, _, let cause, _): say(who, "suspended: \(cause)", in: .bad)
        case .lateResponse(let late): say(who, "lateResponse: \(Self.text(late))", in: .good)
        case .credentialExpiring(_, _, let end):
            say(who, "credentialExpiring at \(UTC.text(end.unixSeconds))", in: .bad)
        case .credentialReloadFailed(_, _, let error): say(who, "credentialReloadFailed: \(error)", in: .bad)
        case .givenUp: say(who, "givenUp: the connection will not come back", in: .bad)
        case .overflowed(let count): say(who, "\(count) messages were lost: this mailbox was full", in: .bad)
        case .current, .handedBack, .feedbackOverflow, .replacementFailed, .down: break
        }
    }

    func say(_ event: FeedbackEvent) {
        let count = feedback.withLock { count in
            count += 1
            return count
        }
        let name = event.connectionName ?? ""
        if count <= Self.mostFeedback {
            let since = UTC.text(event.invalidatedAt.unixSeconds)
            say(name, "feedback: device \(event.deviceToken) is \(event.reason) since \(since)")
        } else if count == Self.mostFeedback + 1 {
            say(name, "feedback: more of the same, counted from here on")
        }
    }

    private static func text(_ late: LateResponse) -> String {
        switch late.outcome {
        case .answered(let response):
            "the push that timed out was answered after all: \(response.status)"
        case .unprocessed: "the push that timed out was not processed after all"
        case .noAnswer: "the push that timed out stays without an answer"
        }
    }

    private static func padded(_ text: String, to width: Int, right: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return right ? blanks + text : text + blanks
    }
}
