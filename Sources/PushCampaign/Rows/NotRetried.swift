/// Why a rejection was not retried although `--retry-status` asks for it.
package enum NotRetried: String, Sendable, CaseIterable {
    case breaker
    case budget
    case time
    case waiting

    /// The text in the summary.
    package var sentence: String {
        switch self {
        case .breaker: "APNs failed too often, so retries stopped for 30 s"
        case .budget: "the retry budget, a tenth of the pushes, was used up"
        case .time: "the pause would have outlasted the push's time"
        case .waiting: "too many pushes waited for a retry already"
        }
    }
}
