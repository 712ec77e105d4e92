import HandWrittenFrames
import ProcessRuntime
import SupervisedPush
import TestSupport
import Testing

/// What becomes of requests to the channel management whose answers are odd, cut off, or missing.
@Suite("parity: F11 – odd answers of the channel management", .timeLimit(.minutes(5)))
struct ChannelAnswerStories {
    typealias Hand = HandWritten

    /// Obeys, and says for each whole request what `answer` gives for its stream: 1, 3, 5 …
    private static func answering(
        _ answer: @escaping @Sendable (Int, HandWrittenConversation) -> [UInt8]
    ) -> HandWrittenPeer.Script {
        { conversation, happening in
            guard case .frame(let frame) = happening, frame.flags & Hand.endStream != 0,
                frame.isKind(.headers) || frame.isKind(.data)
            else {
                if case .frame(let frame) = happening, frame.isKind(.data) { return }
                return HandWrittenPeer.obedient(conversation, happening)
            }
            conversation.write(answer(frame.stream, conversation))
        }
    }

    private static func body(_ stream: Int, _ text: String, status: String = "200") -> [UInt8] {
        Hand.headers(stream, [(":status", status)], end: false) + Hand.data(stream, Array(text.utf8), end: true)
    }

    private static func failure(_ body: () async throws -> Void) async -> ChannelError? {
        do { try await body() } catch { return error as? ChannelError }
        return nil
    }

    private static let channel = Result { try ChannelID("dHN0LXNyY2gtY2hubA==") }

    @Test func aListMayHaveMoreThanAPushsAnswerAndMembersThatNobodyKnows() async throws {
        let ids = (0..<700).map { "AAAAAAAAAAAAAAAAAA\($0 + 1_000)==" }
        let names = ids.map { "\"\($0)\"" }.joined(separator: ",")
        // DATA frames of at most 16,384 bytes.
        let text = Array(#"{"next-page-token":"abc","channels":[\#(names)],"count":700}"#.utf8)
        let stage = try HandWrittenStage { _ in
            Self.answering { stream, _ in
                Hand.headers(stream, [(":status", "200")], end: false)
                    + Hand.data(stream, Array(text.prefix(16_000)), end: false)
                    + Hand.data(stream, Array(text.dropFirst(16_000)), end: true)
            }
        }
        #expect(text.count > 16_384)
        let channels = try stage.channels()
        #expect(try await channels.list().map(\.text) == ids)
        await stage.end()
    }

    @Test func answersThatCannotBeReadAreErrorsThatSaySo() async throws {
        let stage = try HandWrittenStage { _ in
            Self.answering { stream, _ in
                switch stream {
                case 1: Self.body(stream, #"{"channels":"none"}"#)
                case 3: Self.body(stream, #"{"channels":[]}"#)
                case 5: Hand.headers(stream, [(":status", "201")], end: true)
                case 7: Self.body(stream, "<html>")
                case 9: Hand.headers(stream, [(":status", "200")], end: true)
                default: Self.body(stream, "", status: "500")
                }
            }
        }
        let channels = try stage.channels()
        let id = try Self.channel.get()
        let list = await Self.failure { _ = try await channels.list() }
        #expect(list?.code == .badAnswer && list?.certainty == .answered && list?.response?.status == 200)
        // The list before the creation is read; the creation's answer names no channel.
        let create = await Self.failure { _ = try await channels.create(storage: .noStorage) }
        #expect(create?.code == .badAnswer && create?.description.contains("may have been created") == true)
        let read = await Self.failure { _ = try await channels.read(id) }
        #expect(read?.code == .badAnswer && read?.description.contains("cannot be read") == true)
        let delete = await Self.failure { try await channels.delete(id) }
        #expect(delete?.code == .badAnswer && delete?.description.contains("404") == true)
        let refused = await Self.failure { try await channels.delete(id) }
        #expect(refused?.code == .refused && refused?.response?.status == 500 && refused?.advice == .wait)
        await stage.end()
    }

    @Test func aBodyThatIsCutOffIsAnErrorAndNotAShorterList() async throws {
        let stage = try HandWrittenStage { _ in
            Self.answering { stream, _ in
                Hand.headers(stream, [(":status", "200")], end: false)
                    + Hand.data(stream, Array(#"{"channels":[]}"#.utf8), end: false) + Hand.reset(stream, 2)
            }
        }
        let channels = try stage.channels()
        let error = await Self.failure { _ = try await channels.list() }
        #expect(error?.code == .badAnswer && error?.response?.isComplete == false)
        #expect(error?.description.contains("cut off") == true)
        await stage.end()
    }

    @Test func aCreationWhoseLinkIsLostIsUnknownAndNotSentAgain() async throws {
        let stage = try HandWrittenStage { _ in
            Self.answering { stream, conversation in
                guard conversation.number == 1, stream == 3 else { return Self.body(stream, #"{"channels":[]}"#) }
                conversation.abort()
                return []
            }
        }
        let channels = try stage.channels { $0.retry.resend = .unprocessed }
        let error = await Self.failure { _ = try await channels.create(storage: .mostRecentMessage) }
        #expect(error?.code == .failed && error?.certainty == .unknown && error?.cause?.code == .connectionLost)
        #expect(error?.description.contains("list the channels") == true)
        #expect(try await channels.list() == [])
        #expect(stage.peer.conversations.map { $0.frames.count { $0.isKind(.headers) } } == [2, 1])
        await stage.end()
    }

    @Test func aListWhoseLinkIsLostIsSentAgainBecauseItChangesNothing() async throws {
        let stage = try HandWrittenStage { _ in
            Self.answering { stream, conversation in
                guard conversation.number == 1 else { return Self.body(stream, #"{"channels":["AAAA"]}"#) }
                conversation.abort()
                return []
            }
        }
        let channels = try stage.channels()
        #expect(try await channels.list().map(\.text) == ["AAAA"])
        #expect(stage.peer.conversations.count == 2)
        await stage.end()
    }

    @Test func aCreationThatTimesOutIsUnknownAndALaterOneListsAnew() async throws {
        let stage = try HandWrittenStage { _ in
            Self.answering { stream, conversation in
                switch stream {
                case 1: Self.body(stream, #"{"channels":["AAAA"]}"#)
                case 5: Self.body(stream, #"{"channels":["AAAA","BBBB"]}"#)
                default: []
                }
            }
        }
        let channels = try stage.channels(limit: 2) { $0.liveness = .never }
        let creation = Task {
            await Self.failure {
                _ = try await channels.create(storage: .noStorage, options: PushOptions(timeout: .seconds(5)))
            }
        }
        // The list is answered; then the creation waits for its answer.
        await until { stage.peer.conversations.first?.wholeRequests == 1 }
        await stage.time.waitUntilArmed(by: stage.time.now.advanced(by: .seconds(5)))
        stage.time.advance(by: .seconds(5))
        let late = await creation.value
        #expect(late?.cause?.code == .timedOut && late?.certainty == .unknown)
        // It was created after all: the list says so, and there is no room for another.
        let error = await Self.failure { _ = try await channels.create(storage: .noStorage) }
        #expect(error?.code == .limitReached && error?.certainty == .notSent)
        #expect(stage.peer.conversations.first?.wholeRequests == 1)
        await stage.end()
    }
}
