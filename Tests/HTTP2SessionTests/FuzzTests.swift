import HTTP2Session
import Testing

/// Valid conversations, mutated. Whatever arrives, nothing crashes and each stream ends at most once.
@Suite struct FuzzTests {
    typealias Hand = HandWritten

    /// SplitMix64: the same bytes for the same seed, everywhere.
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var value = state
            value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
            value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
            return value ^ (value >> 31)
        }
    }

    static let requests = 8

    static func serverFrames(_ generator: inout Generator) -> [[UInt8]] {
        func stream(_ generator: inout Generator) -> Int {
            Int.random(in: 0..<Self.requests, using: &generator) * 2 + 1
        }
        let statuses = ["200", "400", "410", "103", "abc", "700"]
        var last = Self.requests * 2 - 1
        var begun: Set<Int> = []
        return (0..<Int.random(in: 5...30, using: &generator)).map { _ in
            let stream = stream(&generator)
            switch Int.random(in: 0..<40, using: &generator) {
            case 0...15:
                let status = statuses.randomElement(using: &generator) ?? "200"
                begun.insert(stream)
                return Hand.headers(stream, [(":status", status), ("apns-id", "A")], end: .random(using: &generator))
            case 16...25 where begun.contains(stream):
                return Hand.data(stream, Array("{\"reason\":\"X\"}".utf8), end: .random(using: &generator))
            case 26...28: return Hand.reset(stream, Int.random(in: 0...13, using: &generator))
            case 29, 30: return Hand.settings([(3, Int.random(in: 0...10, using: &generator))])
            case 31, 32:
                return Hand.frame(.ping, flags: .random(in: 0...1, using: &generator), Array(repeating: 1, count: 8))
            case 33:
                last = min(last, stream)
                return Hand.goAway(last: last, 0, "{}")
            case 34 where stream == 1:
                return Hand.frame(.pushPromise, flags: 4, stream: stream, Hand.number(2, bytes: 4))
            default: return Hand.frame(.windowUpdate, stream: stream, Hand.number(1_000, bytes: 4))
            }
        }
    }

    static func mutate(_ bytes: inout [UInt8], _ generator: inout Generator) {
        for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
            let index = Int.random(in: bytes.indices, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes[index] = .random(in: 0...255, using: &generator)
            case 1: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
            case 2: bytes.remove(at: index)
            default: bytes.insert(.random(in: 0...255, using: &generator), at: index)
            }
        }
    }

    @Test(arguments: 0..<8)
    func noServerCrashesTheClient(batch: Int) throws {
        var completed = 0
        for seed in batch * 500..<(batch + 1) * 500 {
            var generator = Generator(state: UInt64(seed))
            let client = try ClientSession.make()
            _ = try client.receive(Hand.settings([(3, seed % 3 == 0 ? 4 : 100)]))
            for tag in 0..<Self.requests { _ = try client.post(tag: tag) }
            var bytes = Array(Self.serverFrames(&generator).joined())
            if seed % 5 != 0 { Self.mutate(&bytes, &generator) }
            var events: [ClientEvent] = []
            var reset: Set<StreamID> = []
            var sent: [UInt8] = []
            if seed % 4 != 0 { sent = try client.produceAll() }
            var position = 0
            do {
                while position < bytes.count {
                    let end = min(bytes.count, position + Int.random(in: 1...200, using: &generator))
                    defer { position = end }
                    try client.produce(into: &sent, upTo: sent.count + Int.random(in: 0...300, using: &generator))
                    let open = client.openStreams()
                    if Int.random(in: 0..<4, using: &generator) == 0, let chosen = open.randomElement(using: &generator)
                    {
                        // Events made by `produce` are the caller's only once taken.
                        client.reset(chosen.stream, .cancel)
                        reset.insert(chosen.stream)
                        #expect(!events.contains { $0.ended == chosen.stream })
                    }
                    try bytes[position..<end].withUnsafeBytes { try client.receive($0, into: &events) }
                }
                completed += 1
            } catch is SessionError {
                #expect(client.failure != nil)
            }
            sent += try client.produceAll()
            client.takeEvents(into: &events)
            let ended = events.compactMap(\.ended)
            let open = client.openStreams().map(\.stream)
            #expect(Set(ended).count == ended.count, "seed \(seed)")
            #expect(Set(ended).isDisjoint(with: open), "seed \(seed)")
            #expect(reset.isDisjoint(with: ended) && reset.isDisjoint(with: open), "seed \(seed)")
            #expect(
                Set(ended).union(open).union(reset) == Set((0..<Self.requests).map { StreamID($0 * 2 + 1) }),
                "seed \(seed)")
            // Whatever was refused as never produced must not be among the bytes.
            for frame in Hand.frames(in: sent, after: 24) where frame.isKind(.headers) {
                #expect(frame.stream < Self.requests * 2)
            }
        }
        #expect(completed > 20)
    }

    @Test(arguments: 0..<4)
    func noClientCrashesTheServer(batch: Int) throws {
        for seed in batch * 500..<(batch + 1) * 500 {
            var generator = Generator(state: UInt64(seed) &+ 1 << 32)
            let client = try ClientSession.make()
            for tag in 0..<5 { _ = try client.post(String(repeating: "x", count: 40 * tag), tag: tag) }
            client.ping(1)
            var bytes = try client.produceAll()
            Self.mutate(&bytes, &generator)
            let server = try ServerSession.make()
            var events: [ServerEvent] = []
            do {
                for start in stride(from: 0, to: bytes.count, by: 50) {
                    var news: [ServerEvent] = []
                    defer { events += news }
                    try bytes[start..<min(bytes.count, start + 50)].withUnsafeBytes {
                        try server.receive($0, into: &news)
                    }
                    for request in news.compactMap(\.request) {
                        server.respond(request.stream, responseFields("200"), body: [1])
                    }
                    _ = try server.produceAll()
                }
            } catch is SessionError {
                #expect(server.failure != nil)
            }
            events += server.laterEvents()
            let closed = events.compactMap { event -> StreamID? in
                if case .closed(let stream, _) = event { stream } else { nil }
            }
            #expect(Set(closed).count == closed.count, "seed \(seed)")
        }
    }
}
