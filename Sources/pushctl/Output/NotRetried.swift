/// Why a rejection that `--retry-status` asks to be retried was not.
package enum NotRetried: String, Sendable, CaseIterable {
    case breaker
    case budget
    case time
    case waiting

    /// What the summary says of such rows.
    var sentence: String {
        switch self {
        case .breaker: "APNs failed too often, so retries stopped for 30 s"
        case .budget: "the retry budget, a tenth of the pushes, was used up"
        case .time: "the pause would have outlasted the push's time"
        case .waiting: "too many pushes waited for a retry already"
        }
    }
}
