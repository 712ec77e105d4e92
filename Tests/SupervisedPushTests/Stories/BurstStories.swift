import HandWrittenFrames
import ProcessRuntime
import PushLocking
import SupervisedPush
import TestSupport
import Testing

/// What has arrived counts before what is to be sent, and before what its absence would have meant.
@Suite(.timeLimit(.minutes(5))) struct BurstStories {
    /// A frame that HTTP/2 forbids: DATA on stream 0.
    private static let violation = HandWritten.frame(.data, stream: 0, [0])

    @Test func anAnsweredPushIsNotSentAgainThoughTheNextOneIsCalledWhileTheLinkBreaks() async throws {
        let book = OutcomeBook()
        let next = Locked<@Sendable () -> Void>({})
        let stage = try HandWrittenStage { _ in
            { conversation, happening in
                switch happening {
                case .opened: conversation.write(HandWritten.settings([(3, 100)]))
                case .frame(let frame) where frame.isRequestEnd:
                    let answer = HandWritten.headers(frame.stream, [(":status", "200")], end: true)
                    conversation.write(answer + Self.violation)
                    next.withLock { $0 }()
                case .frame, .closed: break
                }
            }
        }
        let called = Locked(0)
        next.withLock {
            $0 = {
                let number = called.withLock { called in
                    called += 1
                    return called
                }
                if number < 300 { stage.push(1, from: number, into: book) }
            }
        }
        try stage.connect()
        stage.push(1, into: book)
        await book.wait(for: 300)
        // One that was written before the burst was read may have been processed, and is not sent again either.
        let unknown = book.summary["connection_lost unknown"] ?? 0
        #expect(book.summary["accepted"] == 300 - unknown && book.endedOnceEach)
        // The server may not have read the last one: a link that breaks discards what is under way.
        let read = stage.peer.conversations.map(\.wholeRequests).reduce(0, +)
        #expect((300 - min(1, unknown)...300).contains(read))
        next.withLock { $0 = {} }
        await stage.end()
    }

    @Test func answersBehindALatePongAreAnswers() async throws {
        let book = OutcomeBook()
        let pings = Recorder<HandWritten.Found>()
        let stage = try HandWrittenStage { _ in
            { conversation, happening in
                switch happening {
                case .opened: conversation.write(HandWritten.settings([(3, 100)]))
                case .frame(let frame) where frame.isKind(.ping) && frame.flags & 1 == 0:
                    pings.record(frame)
                case .frame, .closed: break
                }
            }
        }
        try stage.connect {
            $0.liveness = PushConnection.Configuration.Liveness(
                pingTimeout: .seconds(60), unanswered: .seconds(5), stall: .seconds(8))
        }
        stage.push(20, into: book)
        await stage.time.waitUntilArmed(by: stage.time.now.advanced(by: .seconds(5)))
        stage.time.advance(by: .seconds(5))
        await pings.wait(for: 1)
        stage.time.advance(by: .seconds(30))
        let conversation = try #require(stage.peer.conversations.first)
        let pong = HandWritten.frame(.ping, flags: 1, try #require(pings.all.last).payload)
        let answers = (0..<20).flatMap { HandWritten.headers(1 + 2 * $0, [(":status", "200")], end: true) }
        conversation.perform { $0.write(pong + answers) }
        await book.wait(for: 20)
        #expect(book.summary == ["accepted": 20])
        #expect(stage.peer.conversations.map(\.wholeRequests) == [20])
        await stage.end()
    }

    @Test func aLateAnswerIsNotThrownAwayForThePushThatWantsItsSlot() async throws {
        let book = OutcomeBook()
        let next = Locked<@Sendable (Int) -> Void>({ _ in })
        let stage = try HandWrittenStage { _ in
            { conversation, happening in
                switch happening {
                case .opened: conversation.write(HandWritten.settings([(3, 1)]))
                case .frame(let frame) where frame.isRequestEnd: next.withLock { $0 }(frame.stream)
                case .frame, .closed: break
                }
            }
        }
        let (streams, arrivals) = AsyncStream.makeStream(of: Int.self)
        next.withLock { $0 = { arrivals.yield($0) } }
        try stage.connect {
            $0.timeout = .seconds(1)
            $0.lateWindow = .seconds(600)
            $0.liveness = .never
        }
        stage.push(1, into: book)
        var number = 0
        for await stream in streams {
            await stage.time.waitUntilArmed(by: stage.time.now.advanced(by: .seconds(1)))
            stage.time.advance(by: .seconds(1))
            number += 1
            await book.wait(for: number)
            guard number < 100 else { break }
            let conversation = try #require(stage.peer.conversations.first)
            conversation.perform { [number] conversation in
                conversation.write(HandWritten.headers(stream, [(":status", "200")], end: true))
                stage.push(1, from: number, into: book)
            }
        }
        #expect(book.summary == ["timed_out unknown": 100])
        let frames = stage.peer.conversations.flatMap(\.frames)
        #expect(frames.count { $0.isKind(.rstStream) } == 0)
        await until { stage.late.count >= 99 }
        #expect(stage.late.count { if case .answered = $0 { true } else { false } } == 99)
        next.withLock { $0 = { _ in } }
        await stage.end()
    }
}

extension HandWrittenStage {
    fileprivate var late: [LateResponse.Outcome] {
        messages.compactMap { if case .lateResponse(let late) = $0 { late.outcome } else { nil } }
    }
}

extension HandWritten.Found {
    fileprivate var isRequestEnd: Bool { isKind(.data) && flags & HandWritten.endStream != 0 }
}
