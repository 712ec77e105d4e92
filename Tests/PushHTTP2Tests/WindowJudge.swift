import HandWrittenFrames
import PushHTTP2

private typealias Hand = HandWritten

/// A peer that counts windows by itself, from the frames alone, and notes what breaks a rule.
struct WindowJudge {
    private(set) var connection = 65_535
    private(set) var initial = 65_535
    private var streams: [Int: Int] = [:]
    /// How many bytes of each body arrived.
    private(set) var received: [Int: Int] = [:]
    /// The streams whose END_STREAM arrived, in the order of arrival.
    private(set) var ended: [Int] = []
    private(set) var faults: [String] = []
    private var rest: [UInt8] = []
    private var hasPreface = false

    var open: [Int] { streams.keys.sorted() }

    /// Reads what the client wrote.
    mutating func read(_ bytes: [UInt8]) {
        rest += bytes
        if !hasPreface {
            hasPreface = true
            rest.removeFirst(Hand.preface.count)
        }
        let frames = Hand.frames(in: rest)
        for frame in frames { read(frame) }
        rest.removeFirst(frames.last?.end ?? 0)
    }

    private mutating func read(_ frame: Hand.Found) {
        let ends = frame.flags & Hand.endStream != 0
        switch frame.kind {
        case Hand.Kind.headers.rawValue:
            streams[frame.stream] = initial
            if ends { end(frame.stream) }
        case Hand.Kind.data.rawValue:
            let bytes = frame.payload.count
            guard let window = streams[frame.stream] else { return }
            if bytes > 0, bytes > window || bytes > connection {
                faults.append("stream \(frame.stream): \(bytes) bytes, windows \(window) and \(connection)")
            }
            streams[frame.stream] = window - bytes
            connection -= bytes
            received[frame.stream, default: 0] += bytes
            if ends { end(frame.stream) }
        case Hand.Kind.rstStream.rawValue: streams[frame.stream] = nil
        default: break
        }
    }

    private mutating func end(_ stream: Int) {
        if let last = ended.last, last > stream { faults.append("\(stream) ended after \(last)") }
        ended.append(stream)
    }

    // MARK: What it writes

    mutating func grant(_ bytes: Int) -> [UInt8] {
        connection += bytes
        return Hand.windowUpdate(0, bytes)
    }

    mutating func grant(_ bytes: Int, to stream: Int) -> [UInt8] {
        streams[stream, default: 0] += bytes
        return Hand.windowUpdate(stream, bytes)
    }

    mutating func announce(initial bytes: Int) -> [UInt8] {
        for stream in streams.keys { streams[stream, default: 0] += bytes - initial }
        initial = bytes
        return Hand.settings([(id: 4, value: bytes)])
    }

    mutating func answer(_ stream: Int) -> [UInt8] {
        streams[stream] = nil
        return Hand.headers(stream, [(":status", "200")], end: true)
    }

    mutating func reset(_ stream: Int) -> [UInt8] {
        streams[stream] = nil
        return Hand.reset(stream, 7)
    }
}
