/// Whose body is sent: bodies leave one after the other, in the order of their requests.
///
/// nghttp2 would go on with any stream. One that meets the end of a window would then wait until all that came after
/// it have left.
struct BodyTurns {
    /// The stream whose body is sent, or a later one's predecessor that has ended. Wider than a stream's id, which
    /// could overflow.
    private(set) var turn: Int
    /// The stream of the latest HEADERS that were produced; 0 before the first.
    private(set) var lastOpened = 0
    /// Some streams were told to wait for their turn.
    private(set) var holdsBack = false
    /// How many bytes of the bodies of accepted requests have not been sent.
    var unsent = 0
    /// The latest request whose body is larger than its stream took when it was accepted; 0 before the first.
    private var longest = 0
    /// How many bytes the peer has granted for what was to be sent.
    private(set) var granted: UInt64 = 0

    init(first: StreamID) { turn = Int(first) }

    /// True while no stream of this number or a lower one has a body left.
    var isOver: Bool { turn > lastOpened }

    /// A request was accepted.
    mutating func accepted(_ stream: StreamID, bytes: Int, window: Int) {
        unsent += bytes
        if bytes > window { longest = Int(stream) }
    }

    /// Its HEADERS were produced.
    mutating func opened(_ stream: StreamID) { lastOpened = Int(stream) }

    /// A request that is not open yet is larger than the window of its stream.
    var awaitsLongest: Bool { longest > lastOpened }

    /// The stream at `turn` has nothing left to send.
    mutating func pass() { turn += 2 }

    /// This stream has to wait for its turn.
    mutating func holdBack() { holdsBack = true }

    /// Nobody waits for a turn.
    mutating func letAllGo() { holdsBack = false }

    /// The peer granted this many bytes.
    mutating func granted(_ bytes: Int) { granted &+= UInt64(clamping: bytes) }
}
