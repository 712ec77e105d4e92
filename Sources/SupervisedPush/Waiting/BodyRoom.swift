import PushHTTP2

/// How large the bodies of the next pushes of a link may be, by its flow-control windows (RFC 9113, section 5.2).
///
/// A push begins only if the windows take its whole body. A body that is larger than a whole window of the peer goes
/// alone: nothing else begins before it has left.
struct BodyRoom: Equatable {
    /// How many body bytes the connection takes. Negative: no push begins.
    private(set) var left = Int.max
    /// The largest body that a stream takes whole.
    private(set) var longest = Int.max
    /// The largest body that may go alone; negative if none may.
    private(set) var alone = -1

    /// Windows without a limit.
    init() {}

    /// - Parameter isIdle: No stream is open, so the peer has nothing left to give bytes back for.
    init(_ window: SendWindow, isIdle: Bool) {
        left = window.isBlocked ? -1 : window.connection
        longest = window.stream
        guard window.isClear, window.connection > 0 else { return }
        alone = isIdle ? .max : window.connection
    }

    /// Whether a push with a body of this size may begin.
    func takes(_ bytes: Int) -> Bool { takesWhole(bytes) || bytes <= alone }

    func takesWhole(_ bytes: Int) -> Bool { bytes <= left && bytes <= longest }

    /// A push with a body of this size begins.
    mutating func take(_ bytes: Int) {
        left = takesWhole(bytes) ? left - bytes : -1
        alone = -1
    }
}
