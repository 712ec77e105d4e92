/// Which ends of a child are followed by a restart.
public enum RestartPolicy: Sendable, Hashable {
    /// Every end.
    case permanent
    /// Only an abnormal one: `failure` and `killed`.
    case transient
    /// None.
    case temporary

    /// Whether a child that ended for `reason` is started again.
    public func restarts(after reason: ExitReason) -> Bool {
        switch self {
        case .permanent: true
        case .transient: reason.isAbnormal
        case .temporary: false
        }
    }
}
