import ProcessRuntime
import PushHTTP2

/// The windows of a link's peer in a random life, and what its session does with the bodies that have begun: they leave in order, as far
/// as the windows take them.
struct RandomWindows {
    /// A body that has not left whole.
    private struct Body {
        let stream: Int32
        var left: Int
        var window: Int
    }

    private var connection: Int
    private var stream: Int
    private var granted: UInt64 = 0
    private var bodies: [Body] = []
    /// The peer gives back at once what it reads.
    private var isPrompt: Bool
    /// How many streams may be open before the first has ended; nil: the offer is over.
    private var firstFlight: Int?
    private var ended = 0

    init(firstFlight: Int?, _ random: inout SeededGenerator) {
        self.firstFlight = firstFlight
        isPrompt = Int.random(in: 0..<3, using: &random) > 0
        (connection, stream) = (65_535, 65_535)
        guard Bool.random(using: &random) else { return }
        connection = [0, 1, 300, 2_000, 65_535].randomElement(using: &random) ?? 0
        stream = [0, 1, 300, 2_000, 65_535].randomElement(using: &random) ?? 0
    }

    private var unsent: Int { bodies.reduce(0) { $0 + $1.left } }

    var sendWindow: SendWindow {
        let left = connection - unsent
        let isBlocked = bodies.first.map { left < 0 || $0.left > $0.window } ?? false
        return SendWindow(
            connection: left, stream: stream, isBlocked: isBlocked, isClear: bodies.isEmpty, granted: granted)
    }

    func isOnItsWay(_ stream: Int32) -> Bool { bodies.contains { $0.stream == stream } }

    // MARK: What the machine may do

    /// Whether a body may begin: the windows take it whole behind all that have begun, or it is alone.
    func mayBegin(_ bytes: Int, open: Int) -> Bool {
        let isWhole = bytes <= connection - unsent && bytes <= stream && !bodies.contains { $0.left > $0.window }
        let isAlone = bodies.isEmpty && connection > 0 && (bytes <= connection || open == 0)
        return isWhole || isAlone
    }

    /// Whether this many streams may be open.
    func mayHave(open: Int) -> Bool {
        firstFlight.map { open <= $0 + ended } ?? true
    }

    mutating func endFirstFlight() { firstFlight = nil }

    mutating func begin(_ stream: Int32, _ bytes: Int) {
        if bytes > 0 { bodies.append(Body(stream: stream, left: bytes, window: self.stream)) }
    }

    /// The stream has ended, and the rest of its body is not sent.
    mutating func end(_ stream: Int32) {
        bodies.removeAll { $0.stream == stream }
        ended += 1
    }

    // MARK: What the peer does

    /// Sends what the windows take.
    mutating func flush() {
        while let body = bodies.first {
            let bytes = min(body.left, connection, max(0, body.window))
            guard bytes > 0 else { return }
            bodies[0].left -= bytes
            if bodies[0].left == 0 { bodies.removeFirst() }
            if isPrompt {
                granted += UInt64(bytes)
            } else {
                connection -= bytes
                if !bodies.isEmpty, bodies[0].stream == body.stream { bodies[0].window -= bytes }
            }
        }
    }

    /// Gives some bytes, or changes its mind about what it takes.
    mutating func change(_ random: inout SeededGenerator) {
        let bytes = [1, 100, 1_000, 5_000].randomElement(using: &random) ?? 1
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<3: grant(bytes)
        case 3..<5: grantToFirst(bytes)
        case 5: setStream([0, 1, 300, 2_000, 65_535].randomElement(using: &random) ?? 0)
        default: isPrompt.toggle()
        }
    }

    /// From now on, it takes everything.
    mutating func openWide() {
        isPrompt = true
        setStream(1 << 20)
        grant(1 << 20)
    }

    private mutating func grant(_ bytes: Int) {
        connection += bytes
        granted += UInt64(bytes)
    }

    private mutating func grantToFirst(_ bytes: Int) {
        guard !bodies.isEmpty else { return }
        bodies[0].window += bytes
        granted += UInt64(bytes)
    }

    /// SETTINGS change the windows of open streams, too, even below zero (RFC 9113, section 6.9.2).
    private mutating func setStream(_ size: Int) {
        for index in bodies.indices { bodies[index].window += size - stream }
        stream = size
    }
}
