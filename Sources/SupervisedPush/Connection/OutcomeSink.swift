/// Who receives the outcome of a push: exactly one owner.
enum OutcomeSink: Sendable {
    typealias Outcome = Result<PushResponse, PushError>

    /// A suspended task; resumed at once.
    case task(CheckedContinuation<Outcome, Never>)
    /// A blocked thread; signalled at once.
    case thread(BlockedCaller)
    /// A closure; called in batches on the connection's delivery queue.
    case completion(@Sendable (Outcome) -> Void)
    /// Nobody: what ends without an answer is handed back.
    case nobody

    /// True for fire and forget.
    var isNobody: Bool {
        if case .nobody = self { true } else { false }
    }

    /// True for the forms whose caller can wait for room.
    var mayWaitForRoom: Bool {
        switch self {
        case .task, .thread: true
        case .completion, .nobody: false
        }
    }
}
