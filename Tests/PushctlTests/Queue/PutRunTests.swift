import Foundation
import PushLocking
import PushQueue
import PushTerminal
import SupervisedPush
import Testing

@testable import pushctl

@Suite(.timeLimit(.minutes(5))) struct PutRunTests {
    @Test func aCancelledRunIsNoSuccess() async throws {
        let scratch = try Scratch()
        try Data("token\naabb01\n".utf8).write(to: URL(fileURLWithPath: scratch.path))
        let arguments = [scratch.path, "--queue", "q.db", "--title", "Hello", "--format", "csv"]
        let run = try PutRun(PutFlags.parsed(arguments))
        try await run.input.open()
        // It waits for room in a full queue, and that is what the cancellation ends.
        let full = MemoryQueue(maxEntries: 1)
        try await full.enqueue([QueueEntry(.alert(title: "Title", body: "Body"), to: [DeviceToken("aabb02")])])
        let status = Task { try await run.put(into: OpenQueue(full, place: "memory"), nil) }
        status.cancel()
        #expect(try await status.value == .unavailable)
    }

    @Test func whatWasPutIsCountedAlthoughItsIDCannotBePrinted() async throws {
        let scratch = try Scratch()
        try Data("token\naabb01\naabb02\n".utf8).write(to: URL(fileURLWithPath: scratch.path))
        let arguments = [scratch.path, "--queue", "q.db", "--title", "Hello", "--format", "csv", "--ids"]
        let run = try PutRun(PutFlags.parsed(arguments)) { text in
            if !text.hasPrefix("id,") { throw CommandError.input("the pipe is closed") }
        }
        try await run.input.open()
        let queue = MemoryQueue()
        #expect(try await run.put(into: OpenQueue(queue, place: "memory"), nil) != .success)
        #expect(run.tally.tokens == 2 && run.tally.lastLine == 3)
        #expect(try await queue.status().waiting == 1)
    }

    @Test func aCallWhoseAnswerWasLostIsRepeated() async throws {
        let scratch = try Scratch()
        try Data("token\naabb01\naabb02\n".utf8).write(to: URL(fileURLWithPath: scratch.path))
        let arguments = [scratch.path, "--queue", "q.db", "--title", "Hello", "--format", "csv"]
        let run = try PutRun(PutFlags.parsed(arguments), pause: { _ in })
        try await run.input.open()
        let memory = MemoryQueue()
        let queue = ReaderQueue(memory) { _ in OutcomePage([], position: nil) }
        queue.lostAnswers.withLock { $0 = 2 }
        #expect(try await run.put(into: OpenQueue(queue, place: "memory"), nil) == .success)
        #expect(run.tally.tokens == 2 && run.tally.mayHold == nil)
        #expect(try await memory.status().waiting == 1)
    }

    @Test func idsAreJSONIfThatIsAskedFor() async throws {
        let scratch = try Scratch()
        try Data("token\naabb01\naabb02\n".utf8).write(to: URL(fileURLWithPath: scratch.path))
        let arguments = [scratch.path, "--queue", "q.db", "--title", "Hello", "--format", "csv", "--ids", "--json"]
        let printed = Locked("")
        let run = try PutRun(PutFlags.parsed(arguments), printIDs: { text in printed.withLock { $0 += text } })
        try await run.input.open()
        #expect(try await run.put(into: OpenQueue(MemoryQueue(), place: "memory"), nil) == .success)
        let text = printed.withLock { $0 }
        #expect(text.hasPrefix(#"{"id":""#) && text.hasSuffix("\",\"tokens\":2,\"line\":2}\n"), "\(text)")
    }

    @Test func noErrorPassesAsSuccess() {
        #expect(CommandError.ending(CancellationError(), "q.db").status == .unavailable)
        #expect(CommandError.ending(QueueError(.full, "Full."), "q.db").status == .unavailable)
        #expect(CommandError.ending(CommandError.input("no file"), "q.db") == .input("no file"))
    }
}
