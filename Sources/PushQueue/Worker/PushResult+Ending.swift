import FoundationEssentials
import SupervisedPush

extension Result where Success == PushResponse, Failure == PushError {
    /// What the result means for the entry.
    ///
    /// An answer 429, or one that judges the service, says that a later push may fare better, so the token is postponed: as
    /// long as APNs asks for, or, if it names no time, 1 s and double for each time that the entry was postponed before.
    /// After a 500 it is 15 minutes and double, as Apple asks, unless the deadline comes before.
    ///
    /// Any other answer that judges the sender, such as one that refuses the credential, says nothing about the token, so
    /// it is pushed again, by a worker whose sender is accepted.
    ///
    /// - Parameters:
    ///   - namesTopic: Whether the entry names its topic.
    ///   - deadline: That of the entry.
    ///   - retries: How often the entry was postponed before.
    ///   - wallClock: The time of the answer, in milliseconds since 1970 UTC.
    func ending(namesTopic: Bool = false, deadline: Date?, retries: Int, wallClock: Int64) -> WorkerMachine.Ending {
        switch self {
        case .success(let response):
            let subject = response.refusal(namesTopic: namesTopic)
            if subject == .sender, response.status != 429 { return .refused }
            guard response.status == 429 || subject == .service else { return .told }
            let doubled = 1 << min(max(retries, 0), 12)
            var pauses = [Duration.seconds(doubled)]
            if response.status == 500 { pauses.insert(.seconds(900 * min(doubled, 4)), at: 0) }
            if let asked = response.retryAfter({ wallClock }) { pauses = [asked] }
            let dates = pauses.map { pause in
                Date(timeIntervalSince1970: Double(wallClock) / 1_000 + min(max(pause / .seconds(1), 1), 3_600))
            }
            return dates.first { $0 < deadline ?? .distantFuture }.map { .later($0) } ?? .told
        case .failure(let error):
            return error.isFinal ? .told : error.isRefusal ? .refused : .unsent
        }
    }
}

extension Result where Success == PushResponse, Failure == PushError {
    /// What the result says about the sender and the service.
    func evidence(namesTopic: Bool) -> WorkerMachine.Evidence {
        guard case .success(let response) = self else { return .nothing }
        if response.isAccepted { return .accepted }
        return response.refusal(namesTopic: namesTopic).map { .refused($0) } ?? .rejected
    }
}

extension PushError {
    /// Whether another attempt does not help, or may push a second time. All other errors are this worker's: it
    /// withdrew the push, lost its links, or is being closed.
    fileprivate var isFinal: Bool {
        if !isSafeToRepeat { return true }
        return switch code {
        case .invalidRequest, .payloadTooLarge, .expired: true
        default: false
        }
    }

    /// Whether it was attempted, and may be the push's own fault. Other pushes may fare better.
    fileprivate var isRefusal: Bool {
        switch code {
        case .tooManyAttempts, .unprocessed, .streamReset, .badResponse: true
        default: false
        }
    }
}
