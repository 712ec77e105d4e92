import Foundation
import SupervisedPush

extension Result where Success == PushResponse, Failure == PushError {
    /// What the result means for the entry.
    ///
    /// An answer 429 or 503 says that a later push may fare better, so the token is postponed: as long as APNs asks for,
    /// or, if it names no time, 1 s and double for each time that the entry was postponed before.
    ///
    /// - Parameters:
    ///   - retries: How often the entry was postponed before.
    ///   - wallClock: The time of the answer, in milliseconds since 1970 UTC.
    func ending(_ entry: QueueEntry, retries: Int, wallClock: Int64) -> WorkerMachine.Ending {
        switch self {
        case .success(let response):
            guard response.status == 429 || response.status == 503 else { return .told }
            let pause = response.retryAfter { wallClock } ?? .seconds(1 << min(max(retries, 0), 12))
            let date = Date(timeIntervalSince1970: Double(wallClock) / 1_000 + min(max(pause / .seconds(1), 1), 3_600))
            if let deadline = entry.deadline, deadline <= date { return .told }
            return .later(date)
        case .failure(let error):
            return error.isFinal ? .told : error.isRefusal ? .refused : .unsent
        }
    }

    /// The outcome to store.
    func outcome(_ entry: QueueEntry, _ index: Int, attempts: Int) -> QueueOutcome {
        let (token, id) = (entry.tokens[index], entry.id.apnsID(of: index))
        switch self {
        case .success(let response):
            let isAccepted = response.isAccepted
            let reason = isAccepted ? nil : response.reason?.rawValue ?? "http_\(response.status)"
            return QueueOutcome(
                entry: entry.id, index: index, token: token, isAccepted ? .delivered : .rejected, .answered,
                status: response.status, reason: reason.map { String($0.prefix(200)) }, apnsID: id,
                timestamp: isAccepted ? nil : response.timestamp, attempts: attempts)
        case .failure(let error):
            return QueueOutcome(
                entry: entry.id, index: index, token: token, error.mayHaveArrived ? .unknown : .failed,
                error.mayHaveArrived ? .unknown : error.certainty, reason: error.rowReason, apnsID: id,
                attempts: attempts)
        }
    }
}

extension PushError {
    /// Whether the push may have been delivered.
    fileprivate var mayHaveArrived: Bool { certainty == .unknown || certainty == .answered }

    /// Whether another attempt does not help, or may push a second time. All other errors are this worker's: it
    /// withdrew the push, lost its links, or is being closed.
    fileprivate var isFinal: Bool {
        if mayHaveArrived { return true }
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

    /// The word for it that `pushctl bulk` writes, too.
    fileprivate var rowReason: String {
        if mayHaveArrived {
            return switch unknownAttempt ?? code {
            case .timedOut: "timed_out"
            case .streamReset: "stream_reset"
            case .badResponse: "bad_response"
            case .cancelled, .closed: "cancelled"
            default: "connection_lost"
            }
        }
        return switch code {
        case .invalidRequest: "invalid_input"
        case .credentialRefused: "credential"
        case .overloaded, .dropped: "overloaded"
        case .cancelled, .closed, .noProcess, .processFailed: "not_connected"
        default: code.name
        }
    }
}
