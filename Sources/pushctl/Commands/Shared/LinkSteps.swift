import PushTerminal
import SupervisedPush

/// What `--verbose` says of a single request beside the library's messages: when each step was done, and the header fields
/// of the answer.
struct LinkSteps: Sendable {
    private let begin: ContinuousClock.Instant
    private let say: @Sendable (LogLine) -> Void

    init(since begin: ContinuousClock.Instant = .now, say: @escaping @Sendable (LogLine) -> Void) {
        self.begin = begin
        self.say = say
    }

    /// - Parameter step: A clause.
    func done(_ step: String, at now: ContinuousClock.Instant = .now) {
        say(LogLine("pushctl: after \(Self.text(begin.duration(to: now))): \(step)".onOneLine))
    }

    func answered(_ outcome: Result<PushResponse, PushError>) {
        guard case .success(let response) = outcome else { return done("the push ended without an answer") }
        done("the answer is \(response.status)")
        for field in response.headers.fields { say(LogLine("pushctl: \(field.name): \(field.value)".onOneLine)) }
    }

    /// `12.3 ms`
    static func text(_ time: Duration) -> String {
        let tenths = Int64((time / .microseconds(100)).rounded())
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
