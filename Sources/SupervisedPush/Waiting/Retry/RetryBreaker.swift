import ProcessRuntime

/// Stops the retries of a connection while APNs fails in general, judged by the answers of the last ten seconds
/// (``AnswerWindow``), whatever their order.
///
/// It judges when a retry is about to be made, not when an answer arrives: in a burst, rejections arrive behind all
/// acceptances, because they have a body. If at least twenty of the answers were 500 or 503, and at least half of all,
/// it opens for 30 s. It closes earlier if fewer than half are.
struct RetryBreaker {
    static let least = 20
    static let pause = Duration.seconds(30)

    /// What opened it.
    struct Opening: Equatable {
        let failures: Int
        let answers: Int
    }

    private var window = AnswerWindow()
    private var opensUntil: MonotonicInstant?

    /// An answer arrived.
    mutating func note(status: Int, _ now: MonotonicInstant) {
        let isFailure = status == 500 || status == 503
        window.note(isFailure: isFailure, now)
        guard !isFailure, opensUntil != nil else { return }
        let (answers, failures) = window.sum(now)
        if failures * 2 < answers { opensUntil = nil }
    }

    /// A retry is about to be made. Returns what opens the breaker, if it opens.
    mutating func judge(_ now: MonotonicInstant) -> Opening? {
        guard !isOpen(now) else { return nil }
        let (answers, failures) = window.sum(now)
        guard failures >= Self.least, failures * 2 >= answers else { return nil }
        opensUntil = now.advanced(by: Self.pause)
        return Opening(failures: failures, answers: answers)
    }

    /// True while no retry may be made.
    func isOpen(_ now: MonotonicInstant) -> Bool { opensUntil.map { now < $0 } ?? false }
}
