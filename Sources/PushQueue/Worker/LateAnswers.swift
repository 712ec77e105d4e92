import ProcessRuntime
import SupervisedPush

/// Pushes that timed out in flight, until it is known how they ended after all. A late answer may be heard of before the
/// timeout: both come on different ways.
struct LateAnswers {
    /// A push that timed out.
    struct Held {
        let key: TakenEntry.Key
        let index: Int
        let error: PushError
        /// How often it was written.
        let attempts: Int

        /// The process of the link that it was written to.
        var process: ProcessID? { error.streamID?.process }
    }

    /// How many answers are kept whose timeout was not heard of. Most belong to other callers of the connection.
    static let mostEarly = 1_000

    private var held: [PushID: Held] = [:]
    private var early: [PushID: LateResponse.Outcome] = [:]
    private var earlyIDs: [PushID] = []
    /// Late answers to pushes up to this one may have been dropped.
    private var dropped: PushID?

    /// Holds the push if it timed out in flight; otherwise, and if its late answer is known, returns its result.
    mutating func result(
        of result: Result<PushResponse, PushError>, _ key: TakenEntry.Key, _ index: Int, attempts: Int
    ) -> Result<PushResponse, PushError>? {
        guard case .failure(let error) = result, error.code == .timedOut, error.certainty == .unknown,
            error.unknownAttempt == nil, let id = error.pushID
        else { return result }
        if let answer = early.removeValue(forKey: id) {
            earlyIDs.removeAll { $0 == id }
            return answer.result(error)
        }
        if let dropped, id <= dropped { return result }
        held[id] = Held(key: key, index: index, error: error, attempts: attempts)
        return nil
    }

    /// Returns the push that this ends, if it is held.
    mutating func take(_ late: LateResponse) -> (push: Held, result: Result<PushResponse, PushError>)? {
        if let push = held.removeValue(forKey: late.pushID) { return (push, late.outcome.result(push.error)) }
        early[late.pushID] = late.outcome
        earlyIDs.append(late.pushID)
        if earlyIDs.count > Self.mostEarly {
            let oldest = earlyIDs.removeFirst()
            early[oldest] = nil
            drop(upTo: oldest)
        }
        return nil
    }

    /// Late answers to pushes up to this one are not waited for, because they may have been dropped.
    mutating func drop(upTo id: PushID) { dropped = max(dropped ?? id, id) }

    /// No answer can come any more.
    ///
    /// - Parameter process: Only to what was pushed over this process; nil for all.
    mutating func takeAll(of process: ProcessID? = nil) -> [Held] {
        let over = held.filter { process == nil || $0.value.process == nil || $0.value.process == process }
        for id in over.keys { held[id] = nil }
        return over.sorted { $0.key < $1.key }.map(\.value)
    }
}

extension LateResponse.Outcome {
    /// - Parameter timeout: The error of the push.
    fileprivate func result(_ timeout: PushError) -> Result<PushResponse, PushError> {
        switch self {
        case .answered(let response): .success(response)
        case .unprocessed:
            .failure(PushError(.unprocessed, certainty: .unprocessed, description: "APNs did not process the push."))
        case .noAnswer: .failure(timeout)
        @unknown default: .failure(timeout)
        }
    }
}
