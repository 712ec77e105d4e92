import PushLocking
import PushQueue
import SupervisedPush
import Testing

@testable import pushctl

@Suite struct DeadLetterNamesTests {
    private let store = MemoryQueue()
    private let worker = WorkerID("test")

    /// Kills the entries, and returns their keys.
    private func kill(_ entries: [QueueEntry]) async throws -> [String] {
        // One call each: a call that begins with a known id adds nothing.
        for entry in entries { try await store.enqueue([entry]) }
        let taken = try await store.take(as: worker, tokens: 100)
        try await store.settle(
            as: worker, taken.map { Settlement($0.key, rows: [], fate: .dead("three workers died with it")) })
        return taken.map(\.key.description)
    }

    private func entry(_ token: String) throws -> QueueEntry {
        try QueueEntry(.alert(title: "Title", body: "Body"), to: [DeviceToken(token)])
    }

    private func text(_ lines: ResultLines) -> String { String(decoding: lines.bytes(asJSON: false), as: UTF8.self) }

    @Test func keysAndIDsMayBeMixed() async throws {
        let (first, second) = (try entry("aa01"), try entry("aa02"))
        let keys = try await kill([first, second])
        let lines = try await DeadLetterNames([keys[0], "\(second.id)", keys[0]]).requeue(store)
        #expect(text(lines) == "\(keys[0]) requeued\n\(second.id) requeued\n" && lines.isWhole)
        #expect(try await store.status().waiting == 2)
    }

    @Test func whatIsNotPrintedIsCounted() {
        #expect(DeadLetterList.rest(printed: 2, of: 2) == nil && DeadLetterList.rest(printed: 2, of: 1) == nil)
        #expect(
            DeadLetterList.rest(printed: 1_000, of: 3_500)
                == "pushctl: 2,500 more dead letters are not printed; --limit 3500 prints all")
    }

    @Test func aDeadLetterOfJSONHasItsEntryAsAProducerWritesIt() async throws {
        let entry = try entry("aa01")
        let keys = try await kill([entry])
        let letters = try await store.deadLetters(limit: 10)
        let unreadable = DeadLetter(DeadLetter.Key("9"), .failure(QueueError(.invalidEntry, "No.")), reason: "No.")
        var stored = unreadable
        stored.fields = ["tokens": "zz", "payload": "{}"]
        let bytes = DeadLetterList(letters + [unreadable, stored]).lines(asJSON: true)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let start =
            #"{"key":"\#(keys[0])","id":"\#(entry.id)","tokens":1,"reason":"three workers died with it","entry":{"#
        #expect(lines.count == 3 && lines[0].hasPrefix(start), "\(lines)")
        #expect(lines[0].contains(#""id":"\#(entry.id)""#) && lines[0].contains(#""tokens":"aa01""#))
        #expect(lines[0].contains(#""payload":"{\"aps\":"#))
        #expect(lines[1] == #"{"key":"9","id":null,"tokens":null,"reason":"No."}"#)
        #expect(
            lines[2]
                == #"{"key":"9","id":null,"tokens":null,"reason":"No.","entry":{"payload":"{}","tokens":"zz"}}"#)
    }

    @Test func whatIsNotThereIsNotFound() async throws {
        let lines = try await DeadLetterNames(["77", String(repeating: "a", count: 32)]).discard(store)
        #expect(text(lines) == "77 not_found\n\(String(repeating: "a", count: 32)) not_found\n" && !lines.isWhole)
    }

    @Test func anIDOfTwoDeadLettersIsAmbiguous() async throws {
        let (first, second) = (try entry("aa01"), try entry("aa02"))
        let twin = try QueueEntry(second.notification, to: first.tokens, id: second.id)
        try await store.enqueue([first, twin])
        let keys = try await kill([second])
        let lines = try await DeadLetterNames(["\(second.id)"]).discard(store)
        #expect(text(lines) == "\(second.id) ambiguous\n" && keys.count == 3)
        #expect(try await store.status().dead == 3)
    }

    @Test func allAreThoseThatAreDeadNow() async throws {
        _ = try await kill([try entry("aa01"), try entry("aa02"), try entry("aa03")])
        #expect(try await DeadLetterNames.requeueAll(store).isWhole)
        let status = try await store.status()
        #expect(status.dead == 0 && status.waiting == 3)
        #expect(text(try await DeadLetterNames.discardAll(store)).isEmpty)
    }

    @Test func thoseThatCannotBeReadStayAndAreCounted() async throws {
        let keys = try await kill([try entry("aa01"), try entry("aa02"), try entry("aa03")])
        let reader = ReaderQueue(store) { _ in OutcomePage([], position: nil) }
        let damaged = Set(try await store.deadLetters(limit: 2).map(\.key))
        reader.damaged.withLock { $0 = damaged }
        let lines = try await DeadLetterNames.requeueAll(reader)
        #expect(lines.isWhole && text(lines).split(separator: "\n").count == keys.count - 2)
        #expect(
            lines.note == "pushctl: 2 dead letters cannot be read and stay; pushctl queue discard removes them")
        let discarded = try await DeadLetterNames.discardAll(reader)
        #expect(discarded.note == nil && text(discarded).split(separator: "\n").count == 2)
    }
}
