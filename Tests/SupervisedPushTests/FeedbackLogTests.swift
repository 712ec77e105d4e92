import PushLocking
import TestSupport
import Testing

@testable import SupervisedPush

@Suite("parity: E13 – feedback can be awaited", .timeLimit(.minutes(5))) struct FeedbackLogTests {
    private static func event(_ name: String) throws -> FeedbackEvent {
        try #require(
            FeedbackEvent.from(
                PushResponse(
                    status: 410, body: Array(#"{"reason":"Unregistered","timestamp":1700000000000}"#.utf8)),
                connectionName: name, deviceToken: MachineSamples.token, callerID: nil, sentID: nil, answeredAt: 0))
    }

    @Test func whatIsThereIsTakenOldestFirst() async throws {
        let log = FeedbackLog()
        for name in ["a", "b", "c"] { log.record(try Self.event(name)) }
        #expect(await log.next()?.connectionName == "a")
        #expect(log.events.map(\.connectionName) == ["b", "c"])
        #expect(await log.next(timeout: .zero)?.connectionName == "b")
        #expect(log.drain().map(\.connectionName) == ["c"])
        #expect(await log.next(timeout: .zero) == nil)
    }

    @Test func aReaderThatWaitsGetsTheNextEventAndNobodyElse() async throws {
        let log = FeedbackLog(limit: 1)
        let names = Task {
            var names: [String?] = []
            for await event in log.prefix(3) { names.append(event.connectionName) }
            return names
        }
        for name in ["a", "b", "c"] {
            await until { log.count == 0 }
            log.record(try Self.event(name))
        }
        #expect(await names.value == ["a", "b", "c"])
        #expect(log.events.isEmpty && log.droppedCount == 0)
    }

    @Test func aReaderWhoseTaskIsCancelledGetsNothing() async throws {
        let log = FeedbackLog()
        let task = Task { await log.next() }
        task.cancel()
        #expect(await task.value == nil)
        log.record(try Self.event("a"))
        #expect(log.count == 1)
    }

    @Test func anEventIsAddedAfterItsHandlerAlsoIfThatThrows() async throws {
        struct Trouble: Error {}
        let log = FeedbackLog()
        let counts = Locked<[Int]>([])
        let handler = log.recording { event in
            counts.withLock { $0.append(log.count) }
            if event.connectionName == "b" { throw Trouble() }
        }
        try await handler(Self.event("a"))
        await #expect(throws: Trouble.self) { try await handler(Self.event("b")) }
        #expect(counts.withLock { $0 } == [0, 1])
        #expect(log.events.map(\.connectionName) == ["a", "b"])
    }
}
