/// Why a rejection that was to be retried was not.
///
/// A struct, because more reasons may come: a `switch` needs a `default`.
public struct RetryHeldBack: Hashable, Sendable, CustomStringConvertible {
    // One byte, because it lies in every answer.
    private let code: UInt8

    /// APNs failed too often: at least twenty answers of the last ten seconds were 500 or 503, and at least half of all. Retries stop for
    /// thirty seconds then.
    public static let breaker = Self(code: 0)
    /// The retry budget was used up: retries are at most a tenth of the pushes.
    public static let budget = Self(code: 1)
    /// The pause before the retry, or `Retry-After`, would have outlasted the push's time or the connection's.
    public static let time = Self(code: 2)
    /// As many pushes as may wait for a retry or their turn did so already.
    public static let waiting = Self(code: 3)

    /// A label without values, fit for metrics: `breaker`, `budget`, `time` or `waiting`.
    public var label: String {
        switch self {
        case .breaker: "breaker"
        case .budget: "budget"
        case .time: "time"
        default: "waiting"
        }
    }

    /// The reason as a sentence to a person.
    public var sentence: String {
        switch self {
        case .breaker: "APNs failed too often, so retries stopped for 30 s."
        case .budget: "The retry budget was used up, a tenth of the pushes."
        case .time: "The pause before the retry would have outlasted the push's time."
        default: "Too many pushes wait for a retry already."
        }
    }

    /// The label.
    public var description: String { label }
}
