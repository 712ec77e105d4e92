/// What is known about a push that ended, judged only by what was seen on the wire.
///
/// A push that was tried several times ends with the worst of its attempts: `notSent` < `unprocessed` < `unknown`. A push
/// that is retried after an answer ends with that answer, unless an attempt after it ended `unknown`.
///
/// Resending a push that ended `notSent` or `unprocessed` cannot cause a duplicate.
public enum Certainty: String, Sendable, Hashable, Comparable, CaseIterable, CustomStringConvertible {
    /// No byte of it left this machine.
    case notSent = "not_sent"
    /// APNs said that it did not process the push, or cannot have seen all of it.
    case unprocessed
    /// All of it was written, and no answer arrived: it may or may not have been delivered.
    case unknown
    /// A valid final status arrived.
    case answered

    /// The word that JSON, metrics and `pushctl` have for it: `not_sent`.
    public var description: String { rawValue }

    private var severity: Int {
        switch self {
        case .notSent: 0
        case .unprocessed: 1
        case .unknown: 2
        case .answered: 3
        }
    }

    /// Orders by how much may have happened at APNs.
    public static func < (left: Self, right: Self) -> Bool { left.severity < right.severity }
}
