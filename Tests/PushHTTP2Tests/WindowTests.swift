import HandWrittenFrames
import ProcessRuntime
import PushHTTP2
import Testing

private typealias Hand = HandWritten

/// What the peer's windows do to the bodies of requests (RFC 9113, section 5.2).
@Suite struct WindowTests {
    private func body(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x20, count: count) }

    private func submit(_ client: ClientSession, _ bytes: Int, tag: Int = 0) throws -> Int {
        Int(try client.submit(requestFields(), body: body(bytes), tag: tag))
    }

    /// A client that has exchanged SETTINGS with its judge.
    private func start(_ settings: [(id: Int, value: Int)] = []) throws -> (client: ClientSession, judge: WindowJudge) {
        let client = try ClientSession.make()
        var judge = WindowJudge()
        judge.read(try client.produceAll())
        var bytes = Hand.settings(settings)
        for entry in settings where entry.id == 4 { bytes = judge.announce(initial: entry.value) }
        _ = try client.receive(bytes)
        judge.read(try client.produceAll())
        return (client, judge)
    }

    @Test(arguments: [1, 63, 64, 1_024, 30_000]) func bodiesLeaveInOrderHoweverTheWindowGrows(step: Int) throws {
        var (client, judge) = try start()
        // The 755th of them meets the end of the window.
        for _ in 0..<900 { _ = try submit(client, 87) }
        judge.read(try client.produceAll())
        #expect(judge.ended.count == 753 && judge.connection == 0)
        var granted = 0
        while judge.ended.count < 900, granted < 900 * 87 {
            granted += step
            _ = try client.receive(judge.grant(step))
            judge.read(try client.produceAll())
        }
        #expect(judge.ended == Array(stride(from: 1, to: 1_800, by: 2)))
        #expect(judge.faults == [])
    }

    @Test func aLongBodyIsNotOvertaken() throws {
        var (client, judge) = try start()
        _ = try submit(client, 50_000)
        for _ in 0..<3 { _ = try submit(client, 5_000) }
        judge.read(try client.produceAll())
        #expect(judge.ended == [1, 3, 5, 7])
        #expect(judge.faults == [])
    }

    @Test func whatWaitsBehindAnEndedBodyGoesOn() throws {
        var (client, judge) = try start([(id: 4, value: 10)])
        let first = try submit(client, 100)
        for _ in 0..<3 { _ = try submit(client, 5) }
        judge.read(try client.produceAll())
        #expect(judge.ended == [])
        client.reset(StreamID(first), code: .cancel)
        judge.read(try client.produceAll())
        #expect(judge.ended == [3, 5, 7])
        let second = try submit(client, 100)
        _ = try submit(client, 5)
        judge.read(try client.produceAll())
        _ = try client.receive(judge.reset(second))
        judge.read(try client.produceAll())
        #expect(judge.ended == [3, 5, 7, 11])
        let third = try submit(client, 100)
        _ = try submit(client, 5)
        judge.read(try client.produceAll())
        _ = try client.receive(judge.answer(third))
        judge.read(try client.produceAll())
        #expect(judge.ended == [3, 5, 7, 11, 15])
        #expect(judge.faults == [])
    }

    @Test func theWindowIsToldLessWhatHasBegun() throws {
        var (client, judge) = try start()
        _ = try submit(client, 60_000)
        #expect(client.sendWindow == SendWindow(connection: 5_535, isClear: false))
        judge.read(try client.produceAll())
        #expect(client.sendWindow == SendWindow(connection: 5_535))
        let second = try submit(client, 6_000)
        #expect(client.sendWindow == SendWindow(connection: -465, isBlocked: true, isClear: false))
        judge.read(try client.produceAll())
        #expect(client.sendWindow == SendWindow(connection: -465, isBlocked: true, isClear: false))
        _ = try client.receive(judge.grant(65))
        #expect(client.sendWindow == SendWindow(connection: -400, isBlocked: true, isClear: false, granted: 65))
        // What was not sent is not used up.
        client.reset(StreamID(second), code: .cancel)
        #expect(client.sendWindow == SendWindow(connection: 65, granted: 65))
    }

    @Test func aBodyThatItsStreamDoesNotTakeBlocks() throws {
        var (client, judge) = try start([(id: 4, value: 0)])
        #expect(client.sendWindow == SendWindow(stream: 0))
        let stream = try submit(client, 10)
        let blocked = SendWindow(connection: 65_525, stream: 0, isBlocked: true, isClear: false)
        #expect(client.sendWindow == blocked)
        judge.read(try client.produceAll())
        #expect(judge.open == [stream])
        #expect(client.sendWindow == blocked)
        _ = try client.receive(judge.grant(4, to: stream))
        judge.read(try client.produceAll())
        #expect(client.sendWindow.isBlocked && client.sendWindow.granted == 4)
        _ = try client.receive(judge.grant(6, to: stream))
        judge.read(try client.produceAll())
        #expect(judge.ended == [stream])
        #expect(client.sendWindow == SendWindow(connection: 65_525, stream: 0, granted: 10))
    }

    @Test func aWindowThatShrinksBelowWhatIsInUseBlocks() throws {
        var (client, judge) = try start()
        let stream = try submit(client, 70_000)
        judge.read(try client.produceAll())
        _ = try client.receive(judge.grant(100_000) + judge.announce(initial: 1_000))
        judge.read(try client.produceAll())
        #expect(client.sendWindow.isBlocked && client.sendWindow.granted == 100_000)
        _ = try client.receive(judge.announce(initial: 80_000))
        judge.read(try client.produceAll())
        #expect(judge.ended == [stream])
        #expect(judge.faults == [])
        #expect(client.sendWindow.granted == 179_000)
    }

    /// Sizes, windows, grants, resets and settings at random: every body arrives whole and in order, within the windows,
    /// unless its stream was reset or answered.
    @Test(arguments: 1...60) func everySequenceOfWindowsKeepsTheOrder(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var (client, judge) = try start()
        var sizes: [Int: Int] = [:]
        var cut: Set<Int> = []
        func pick(_ streams: [Int]) -> Int? { streams.randomElement(using: &random) }
        for round in 0..<400 {
            if round.isMultiple(of: 20) { await Task.yield() }  // Others wait for this thread.
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3:
                for _ in 0..<Int.random(in: 1...20, using: &random) {
                    let size = Int.random(
                        in: 1...[10, 300, 4_096, 40_000].randomElement(using: &random)!, using: &random)
                    sizes[try submit(client, size)] = size
                }
            case 4, 5: _ = try client.receive(judge.grant(Int.random(in: 1...30_000, using: &random)))
            case 6:
                if let stream = pick(judge.open) {
                    _ = try client.receive(judge.grant(Int.random(in: 1...5_000, using: &random), to: stream))
                }
            case 7:
                let sizes = [0, 1, 100, 5_000, 65_535, 200_000]
                _ = try client.receive(judge.announce(initial: sizes.randomElement(using: &random)!))
            case 8:
                guard let stream = pick(judge.open) else { continue }
                cut.insert(stream)
                if Bool.random(using: &random) {
                    client.reset(StreamID(stream), code: .cancel)
                } else {
                    _ = try client.receive(Bool.random(using: &random) ? judge.reset(stream) : judge.answer(stream))
                }
            default: break
            }
            var bytes: [UInt8] = []
            try client.produce(into: &bytes, upTo: Int.random(in: 1...40_000, using: &random))
            judge.read(bytes)
        }
        // The peer opens everything.
        _ = try client.receive(judge.announce(initial: 1 << 20))
        let missing = sizes.values.reduce(0, +)
        _ = try client.receive(judge.grant(min(missing + 1, 1 << 30)))
        judge.read(try client.produceAll())
        #expect(judge.faults == [])
        let whole = sizes.keys.filter { !cut.contains($0) }.sorted()
        #expect(judge.ended.filter { !cut.contains($0) } == whole)
        #expect(whole.allSatisfy { judge.received[$0] == sizes[$0] })
        #expect(client.sendWindow.isClear && !client.sendWindow.isBlocked)
    }
}
