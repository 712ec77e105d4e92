import PushCampaign

/// How long `queue put --wait` waits without an outcome of its own. Times are seconds since the run began.
struct WaitPatience: Equatable, Sendable {
    enum Step: Equatable, Sendable {
        case goOn
        /// Say what is missing, and that the waiting ends in this time.
        case report(left: Double)
        case giveUp
    }

    /// The time between two reports.
    static let reportPause = 60.0

    private let limit: Double
    private let start: Double
    private var silentSince: Double
    private var nextReport: Double

    /// - Parameters:
    ///   - limit: The longest silence.
    ///   - start: Before this nothing can come: the pushes are delayed.
    init(limit: Double, start: Double = 0) {
        self.limit = limit
        self.start = start
        silentSince = start
        nextReport = start + Self.reportPause
    }

    /// An outcome has come, or more is being put.
    mutating func heard(at now: Double) {
        silentSince = max(now, start)
        nextReport = silentSince + Self.reportPause
    }

    /// Nothing has come.
    mutating func step(at now: Double) -> Step {
        let left = silentSince + limit - now
        guard left > 0 else { return .giveUp }
        guard now >= nextReport else { return .goOn }
        nextReport = now + Self.reportPause
        return .report(left: left)
    }
}
