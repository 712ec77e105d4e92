/// Why a rejection was not retried although the policy asks for a retry.
///
/// A struct, because more values may be added: a `switch` needs a `default`.
public struct RetryHeldBack: Hashable, Sendable, CustomStringConvertible {
    // One byte, because every answer contains it.
    private let code: UInt8

    /// APNs failed too often: of the answers of the last ten seconds, at least twenty and at least half were 500 or
    /// 503. Retries then stop for thirty seconds.
    public static let breaker = Self(code: 0)
    /// The retry budget was used up: retries are limited to a tenth of the pushes.
    public static let budget = Self(code: 1)
    /// The pause before the retry, or `Retry-After`, would exceed the time of the push or of the connection.
    public static let time = Self(code: 2)
    /// Too many pushes were already waiting for a retry or for their turn.
    public static let waiting = Self(code: 3)

    /// The name, without values and suitable for metrics: `breaker`, `budget`, `time` or `waiting`.
    public var name: String {
        switch self {
        case .breaker: "breaker"
        case .budget: "budget"
        case .time: "time"
        default: "waiting"
        }
    }

    /// The reason as a sentence.
    public var sentence: String {
        switch self {
        case .breaker: "APNs failed too often, so retries stopped for 30 s."
        case .budget: "The retry budget, a tenth of the pushes, was used up."
        case .time: "The pause before the retry would exceed the push's time."
        default: "Too many pushes are already waiting for a retry."
        }
    }

    /// The name.
    public var description: String { name }
}
