import HandWrittenFrames
import ProcessRuntime
import PushHTTP2
import Testing

/// Valid conversations, mutated; frames of anything; no frames at all. Whatever arrives, nothing crashes and each stream ends at most once.
@Suite(.serialized) struct FuzzTests {
    typealias Hand = HandWritten

    static let requests = 8

    /// What the server of this seed says.
    static func serverBytes(_ seed: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        switch seed % 10 {
        case 0, 1: return HostileFrames.transcript(&generator, streams: requests)
        case 2: return HostileFrames.frames(&generator, streams: requests)
        case 3: return generator.bytes(upTo: 1_000)
        case 4: return HostileFrames.proxyAnswer(&generator)
        default:
            var bytes = HostileFrames.transcript(&generator, streams: requests)
            HostileFrames.mutate(&bytes, &generator)
            return bytes
        }
    }

    @Test(arguments: 0..<8)
    func noServerCrashesTheClient(batch: Int) async throws {
        var completed = 0
        for seed in batch * 500..<(batch + 1) * 500 {
            if seed.isMultiple(of: 20) { await Task.yield() }  // Others wait for this thread.
            var generator = SeededGenerator(seed: UInt64(seed))
            let client = try ClientSession.make()
            _ = try client.receive(Hand.settings([(3, seed % 3 == 0 ? 4 : 100)]))
            for tag in 0..<Self.requests { _ = try client.post(tag: tag) }
            let bytes = Self.serverBytes(seed, &generator)
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
                        client.reset(chosen.stream, code: .cancel)
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
            let streams = (0..<Self.requests).map { (number: Int) -> StreamID in StreamID(number * 2 + 1) }
            #expect(Set(ended).union(open).union(reset) == Set(streams), "seed \(seed)")
            // Whatever was refused as never produced must not be among the bytes.
            for frame in Hand.frames(in: sent, after: 24) where frame.isKind(.headers) {
                #expect(frame.stream < Self.requests * 2)
            }
        }
        #expect(completed > 20)
    }

    @Test(arguments: 0..<4)
    func noClientCrashesTheServer(batch: Int) async throws {
        for seed in batch * 500..<(batch + 1) * 500 {
            if seed.isMultiple(of: 20) { await Task.yield() }
            var generator = SeededGenerator(seed: UInt64(seed) &+ 1 << 32)
            let client = try ClientSession.make()
            for tag in 0..<5 { _ = try client.post(String(repeating: "x", count: 40 * tag), tag: tag) }
            client.ping(1)
            var bytes = try client.produceAll()
            switch seed % 4 {
            case 0: bytes = Hand.preface + Hand.settings() + HostileFrames.frames(&generator, streams: 10)
            case 1: bytes.append(contentsOf: HostileFrames.frames(&generator, streams: 10))
            default: HostileFrames.mutate(&bytes, &generator)
            }
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
                        server.respond(request.stream, fields: responseFields("200"), body: [1])
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
