import HandWrittenFrames
import ProcessRuntime
import SupervisedPush
import TestSupport
import Testing

/// Seeded fuzz through the whole stack: memory network, TLS, session, machine, process. Whatever the peer says, each push
/// ends once, and as soon as a good server answers, pushes are accepted.
@Suite(.serialized, .timeLimit(.minutes(5))) struct HostileBytesStories {
    typealias Hand = HandWritten

    private static let pushes = 8

    /// What a hostile peer says, and how it ends the connection.
    private static func hostility(
        _ generator: inout SeededGenerator
    ) -> (bytes: [UInt8], ending: @Sendable (HandWrittenConversation) -> Void) {
        let raw = generator.bytes(upTo: 200)
        let endings: [@Sendable (HandWrittenConversation) -> Void] = [
            { $0.close() }, { $0.cut() }, { $0.abort() },
            { conversation in
                conversation.writeRaw(raw)
                conversation.cut()
            },
        ]
        let ending = endings[Int.random(in: 0..<endings.count, using: &generator)]
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return (generator.bytes(upTo: 3_000), ending)
        case 1: return (HostileFrames.proxyAnswer(&generator), ending)
        case 2: return (HostileFrames.frames(&generator, streams: pushes), ending)
        default:
            var bytes = HostileFrames.transcript(&generator, streams: pushes)
            HostileFrames.mutate(&bytes, &generator)
            return (bytes, ending)
        }
    }

    @Test(arguments: 0..<6)
    func eachPushEndsOnceAndTheConnectionRecovers(batch: Int) async throws {
        for seed in batch * 40..<(batch + 1) * 40 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let (first, firstEnding) = Self.hostility(&generator)
            let (second, secondEnding) = Self.hostility(&generator)
            let requests = Int.random(in: 0...Self.pushes, using: &generator)
            let stage = try HandWrittenStage { number in
                switch number {
                case 1: HandWrittenPeer.saying(first, after: requests, then: firstEnding)
                case 2: HandWrittenPeer.saying(second, after: 0, then: secondEnding)
                default: HandWrittenPeer.obedient
                }
            }
            try stage.connect()
            let book = OutcomeBook()
            stage.push(Self.pushes, into: book)
            await book.wait(for: Self.pushes)
            // Some of the hostile peers may still be there; the third and later connections are good.
            stage.push(Self.pushes, from: 100, into: book)
            await book.wait(for: 2 * Self.pushes)
            var attempts = 0
            while (try? await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token()))?.status != 200 {
                attempts += 1
                if attempts > 5 { break }
            }
            #expect(attempts <= 5 && book.endedOnceEach && book.count == 2 * Self.pushes, "seed \(seed)")
            await stage.end()
        }
    }
}
