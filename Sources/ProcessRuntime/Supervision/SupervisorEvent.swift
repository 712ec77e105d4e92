/// What a supervisor tells its observer, for each child in the order in which it happened.
public enum SupervisorEvent: Sendable {
    /// The child's process `old` ended for `reason` (or a restart failed with that error); the next start comes after
    /// `delay`.
    case restarting(id: String, old: ProcessID, reason: ExitReason, delay: Duration)
    /// The child runs again. Names that led to `old` lead to `new` from now on, if the observer says so.
    case restarted(id: String, old: ProcessID, new: ProcessID)
    /// The child ended once more than its intensity allows. It is no longer a child.
    case gaveUp(id: String, reason: ExitReason)
    /// The child ended, and no restart was due: by its policy, by its spec's `restarts`, or in a shutdown. It is no
    /// longer a child.
    case ended(id: String, reason: ExitReason)

    /// The child that it is about.
    public var id: String {
        switch self {
        case .restarting(let id, _, _, _), .restarted(let id, _, _), .gaveUp(let id, _), .ended(let id, _): id
        }
    }
}
