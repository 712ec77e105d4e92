/// What is known of a push that ended, judged by what was seen on the wire and nothing else.
///
/// A push that was tried several times has its last answer if it has one, else the worst of its attempts: `notSent` <
/// `unprocessed` < `unknown`. Resending a push that ended `notSent` or `unprocessed` cannot make a duplicate.
public enum Certainty: String, Sendable, Hashable, Comparable, CaseIterable {
    /// No byte of it left this machine.
    case notSent = "not_sent"
    /// APNs said that it did not process it, or cannot have seen all of it.
    case unprocessed
    /// All of it was written, and no answer came: it may or may not have been delivered.
    case unknown
    /// A valid final status arrived.
    case answered

    private var severity: Int {
        switch self {
        case .notSent: 0
        case .unprocessed: 1
        case .unknown: 2
        case .answered: 3
        }
    }

    /// Orders by how much may have happened at Apple's side.
    public static func < (left: Self, right: Self) -> Bool { left.severity < right.severity }
}
