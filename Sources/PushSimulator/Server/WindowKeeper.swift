import ProcessRuntime

/// Decides when a connection gives back the body bytes that it read: of its own window, and of those of its streams.
struct WindowKeeper {
    /// Bytes to give back; stream 0 is the connection.
    struct Update: Equatable {
        let stream: Int32
        let bytes: Int
    }

    private var connection = KeptBytes()
    private var streams = KeptBytes()

    /// When bytes are due next.
    var nextDue: Int64? { [connection.nextDue, streams.nextDue].lazy.compactMap(\.self).min() }

    mutating func change(_ pace: WindowPace, of scope: WindowScope) {
        if scope.includesConnection { connection = KeptBytes(pace: pace) }
        if scope.includesStreams { streams = KeptBytes(pace: pace) }
    }

    /// Begins with the bytes, by stream, that were read before the pace changed.
    mutating func begin(_ scope: WindowScope, unreturned: [Int32: Int], now: Int64) {
        if scope.includesConnection { connection.begin(unreturned.filter { $0.key == 0 }, now: now) }
        if scope.includesStreams { streams.begin(unreturned.filter { $0.key != 0 }, now: now) }
    }

    mutating func read(_ bytes: Int, of stream: Int32, now: Int64) {
        connection.add(bytes, to: 0, now: now)
        streams.add(bytes, to: stream, now: now)
    }

    mutating func takeDue(_ now: Int64) -> [Update] { connection.takeDue(now) + streams.takeDue(now) }

    /// The stream ended: its window needs nothing any more.
    mutating func closed(_ stream: Int32) { streams.forget(stream) }
}

/// The bytes that were read and will be given back, for windows of one pace.
private struct KeptBytes {
    private struct Batch {
        let due: Int64
        let stream: Int32
        var bytes: Int
    }

    private let pace: WindowPace
    /// Of a trickle: what is left, by stream.
    private var left: [Int32: Int] = [:]
    private var nextPiece: Int64?
    /// Of a delay: oldest first.
    private var batches: [Batch] = []

    init(pace: WindowPace = .prompt) {
        self.pace = pace
    }

    var nextDue: Int64? { nextPiece ?? batches.first?.due }

    mutating func begin(_ unreturned: [Int32: Int], now: Int64) {
        self = KeptBytes(pace: pace)
        for (stream, bytes) in unreturned.sorted(by: { $0.key < $1.key }) { add(bytes, to: stream, now: now) }
    }

    mutating func add(_ bytes: Int, to stream: Int32, now: Int64) {
        switch pace {
        case .prompt, .withhold: break
        case .trickle(let dribble):
            left[stream, default: 0] += bytes
            if nextPiece == nil { nextPiece = now.saturatingAdd(Self.interval(dribble)) }
        case .delay(let delay):
            let due = now.saturatingAdd(max(0, delay.saturatedNanoseconds))
            if let last = batches.last, last.due == due, last.stream == stream {
                batches[batches.count - 1].bytes += bytes
            } else {
                batches.append(Batch(due: due, stream: stream, bytes: bytes))
            }
        }
    }

    mutating func takeDue(_ now: Int64) -> [WindowKeeper.Update] {
        guard let nextDue, nextDue <= now else { return [] }
        if case .trickle(let dribble) = pace { return takePieces(dribble, now) }
        let count = batches.prefix { $0.due <= now }.count
        defer { batches.removeFirst(count) }
        return batches[..<count].map { WindowKeeper.Update(stream: $0.stream, bytes: $0.bytes) }
    }

    /// Takes a piece for each interval that has passed.
    private mutating func takePieces(_ dribble: Dribble, _ now: Int64) -> [WindowKeeper.Update] {
        guard let due = nextPiece else { return [] }
        let interval = Self.interval(dribble)
        let passed = ((now - due) / interval).saturatingAdd(1)
        let product = Int64(max(1, dribble.bytes)).multipliedReportingOverflow(by: passed)
        let most = product.overflow ? .max : Int(product.partialValue)
        let updates = left.sorted { $0.key < $1.key }.map {
            WindowKeeper.Update(stream: $0.key, bytes: min($0.value, most))
        }
        left = left.compactMapValues { $0 <= most ? nil : $0 - most }
        nextPiece = left.isEmpty ? nil : now.saturatingAdd(interval - (now - due) % interval)
        return updates
    }

    mutating func forget(_ stream: Int32) {
        guard nextDue != nil else { return }
        left[stream] = nil
        if left.isEmpty { nextPiece = nil }
        batches.removeAll { $0.stream == stream }
    }

    private static func interval(_ dribble: Dribble) -> Int64 { max(1, dribble.interval.saturatedNanoseconds) }
}
