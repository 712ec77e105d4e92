/// Why a supervisor did not take a child.
public enum SupervisorError: Error, Hashable, CustomStringConvertible {
    /// It has a child of this id.
    case childExists(id: String)
    /// It is shutting down, or has.
    case shutDown
    /// The child was released while it was started; the process was told to shut down.
    case released(id: String)

    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .childExists(let id): "the supervisor has a child \"\(id)\" already"
        case .shutDown: "the supervisor is shutting down"
        case .released(let id): "the child \"\(id)\" was released while it was being started"
        }
    }
}
