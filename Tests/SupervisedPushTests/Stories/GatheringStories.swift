import HandWrittenFrames
import ProcessRuntime
import PushLocking
import SupervisedPush
import TestSupport
import Testing

/// How requests share writes, seen by the server.
@Suite(.timeLimit(.minutes(5))) struct GatheringStories {
    /// A connection that is up and was pushed over once, to a server that counts what it reads.
    private func stage(_ change: @escaping (inout PushConnection.Configuration) -> Void) async throws
        -> HandWrittenStage
    {
        let stage = try HandWrittenStage { _ in HandWrittenPeer.obedient }
        try stage.connect {
            $0.liveness = .never
            change(&$0)
        }
        try await stage.runtime.connection(named: "orders").waitUntilUp()
        return stage
    }

    /// How many writes `count` pushes take that are all called before the process has its turn.
    private func writes(for count: Int, _ change: @escaping (inout PushConnection.Configuration) -> Void) async throws
        -> Int
    {
        let stage = try await stage(change)
        let conversation = try #require(stage.peer.conversations.first)
        let goOn = try #require(await stage.processQueue.hold())
        let before = conversation.writes
        let book = OutcomeBook()
        stage.push(count, into: book)
        goOn()
        await book.wait(for: count)
        #expect(book.summary == ["accepted": count])
        let writes = conversation.writes - before
        await stage.end()
        return writes
    }

    @Test("parity: G2 – by default what is called in one burst shares a write")
    func aBurstSharesAWrite() async throws {
        // One for the burst; another may acknowledge the server's SETTINGS.
        #expect(try await writes(for: 50) { _ in } <= 2)
    }

    @Test("parity: G2 – flushDelay 0 writes each by itself")
    func withoutDelayEachIsWrittenByItself() async throws {
        let writes = try await writes(for: 50) { $0.limits.flushDelay = .zero }
        #expect(writes >= 50)
    }

    @Test("parity: G2 – flushDelay holds pushes for others to join them, and no longer")
    func theDelayGathersSinglePushes() async throws {
        let stage = try await stage { $0.limits.flushDelay = .milliseconds(10) }
        let book = OutcomeBook()
        for number in 0..<5 {
            stage.push(1, from: number, into: book)
            try await until { try stage.runtime.connection(named: "orders").load.inFlight > number }
        }
        let conversation = try #require(stage.peer.conversations.first)
        let before = conversation.writes
        #expect(conversation.wholeRequests == 0)
        await stage.time.waitUntilArmed(by: stage.time.now.advanced(by: .milliseconds(10)))
        stage.time.advance(by: .milliseconds(10))
        await book.wait(for: 5)
        #expect(book.summary == ["accepted": 5])
        #expect(conversation.wholeRequests == 5 && conversation.writes == before + 1)
        await stage.end()
    }

    /// On a core that both share, the kernel may switch to the process at the caller's first push.
    @Test func aProcessThatTookABatchLetsTheCallerPushOnBeforeItWritesAFew() async throws {
        let callers = Locked<(@Sendable () -> Void)?>(nil)
        let stage = try HandWrittenStage(giveWay: { callers.withLock { $0.take() }?() }) { _ in
            HandWrittenPeer.obedient
        }
        try stage.connect { $0.liveness = .never }
        try await stage.runtime.connection(named: "orders").waitUntilUp()
        let conversation = try #require(stage.peer.conversations.first)
        let goOn = try #require(await stage.processQueue.hold())
        let book = OutcomeBook()
        stage.push(64, into: book)
        goOn()
        await book.wait(for: 64)
        let before = conversation.writes
        callers.withLock { $0 = { stage.push(5, from: 65, into: book) } }
        stage.push(1, from: 64, into: book)
        await book.wait(for: 65)
        try #require(callers.withLock { $0 == nil })
        await book.wait(for: 70)
        #expect(book.summary == ["accepted": 70] && conversation.writes == before + 1)
        await stage.end()
    }

    @Test("parity: F1 – what ended unprocessed is not written any more, also where each push is written by itself")
    func whatIsJudgedUnprocessedStaysUnwritten() async throws {
        // Room for one stream and no window: HEADERS go out, DATA waits.
        let stage = try HandWrittenStage { _ in
            { conversation, happening in
                guard case .opened = happening else { return HandWrittenPeer.obedient(conversation, happening) }
                conversation.write(HandWritten.settings([(3, 1), (4, 0)]))
            }
        }
        try stage.connect {
            $0.limits.flushDelay = .zero
            $0.timeout = .seconds(10)
            $0.liveness = .never
        }
        let book = OutcomeBook()
        stage.push(1, into: book)
        let conversation = try await stage.conversation { $0.headers == 1 }
        // One more waits for a stream, and longer.
        stage.runtime.push(
            name: "orders", Samples.flight, to: Samples.token(1), options: PushOptions(timeout: .seconds(60)),
            completion: book.completion(1))
        try await until { try stage.runtime.connection(named: "orders").load.waiting == 1 }
        // The process may have one more turn to do. It is over once the process can be held again.
        let pass = try #require(await stage.processQueue.hold())
        pass()

        // The time of the first is over and its window opens before the process looks again: it finds both at once.
        let time = stage.time
        let goOn = try #require(await stage.processQueue.hold { time.advance(by: .seconds(10)) })
        await conversation.performed { $0.write(HandWritten.settings([(3, 1), (4, 65_535)])) }
        goOn()

        await book.wait(for: 2)
        #expect(book.summary == ["timed_out unprocessed": 1, "accepted": 1])
        #expect(conversation.wholeRequests == 1)
        await stage.end()
    }

    @Test func whatIsHeldBackIsWithdrawnUnsent() async throws {
        let stage = try await stage { $0.limits.flushDelay = .seconds(1) }
        let book = OutcomeBook()
        stage.push(3, into: book)
        try await until { try stage.runtime.connection(named: "orders").load.inFlight >= 3 }
        try await stage.runtime.close(name: "orders", within: .zero)
        #expect(book.summary == ["closed not_sent": 3])
        await stage.end()
        #expect(stage.peer.conversations.first?.wholeRequests == 0)
    }

    @Test(arguments: [-1, 1_001]) func aDelayOutOfItsRangeIsRefused(milliseconds: Int) throws {
        let stage = try HandWrittenStage { _ in HandWrittenPeer.obedient }
        let error = #expect(throws: ConnectError.self) {
            try stage.connect { $0.limits.flushDelay = .milliseconds(milliseconds) }
        }
        #expect("\(try #require(error))".contains("flushDelay"))
    }
}
