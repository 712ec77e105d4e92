import Foundation
import PushQueue
import QueueTestSupport
import Testing

@testable import PushQueueRedis

extension QueueEntry {
    fileprivate static func urgent(_ tokens: Int = 1) throws -> QueueEntry {
        var entry = try sample(tokens)
        entry.isUrgent = true
        return entry
    }
}

/// How urgent entries pass others in one stream.
@Suite(.timeLimit(.minutes(2))) struct RedisLaneTests {
    /// Up to which key the workers have read the stream.
    private func cursor(_ bench: QueueBench) async throws -> String? {
        let groups = try await bench.redis("XINFO", "GROUPS", bench.key())
        guard case .array(let words)? = groups.first,
            let index = words.firstIndex(where: { $0.text == "last-delivered-id" })
        else { return nil }
        return words[index + 1].text
    }

    @Test func anUrgentEntryIsTakenWithoutReadingWhatIsBeforeIt() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        for _ in 0..<10 { try await bench.queue.enqueue((0..<1_000).map { _ in try .sample() }) }
        let urgent = try QueueEntry.urgent()
        try await bench.queue.enqueue([urgent])
        let start = try await cursor(bench)
        #expect(try await bench.queue.take(as: .ann, tokens: 1).map(\.id) == [urgent.id])
        #expect(try await cursor(bench) == start)
        #expect(try await bench.queue.status().waiting == 10_000)
        #expect(try await bench.taken() == [.ann: 1])
    }

    @Test func theReadingGivesNoUrgentEntryToAnotherWorker() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        var others: [EntryID] = []
        for _ in 0..<30 {
            let entries = try (0..<3).map { _ in try QueueEntry.sample() }
            try await bench.queue.enqueue(entries)
            try await bench.queue.enqueue([.urgent()])
            others += entries.map(\.id)
        }
        let mine = try await bench.queue.take(as: .ann, tokens: 20)
        var taken = mine.filter { !$0.isUrgent }
        var urgent = mine.filter(\.isUrgent)
        while case let next = try await bench.queue.take(as: .bob, tokens: 13), !next.isEmpty {
            taken += next.filter { !$0.isUrgent }
            urgent += next.filter(\.isUrgent)
        }
        #expect(taken.map(\.id) == others)
        #expect(urgent.count == 30 && Set(urgent.map(\.id)).count == 30)
        #expect(try await bench.taken()[.ann] == mine.count)
        #expect(try await bench.redis("HGET", bench.key("counts"), "urgent_to") == .null)
        #expect(try await bench.queue.status().waiting == 0)
    }

    @Test func anUrgentEntryOfAPlainAddIsUrgentOnceTheReadingComesToIt() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        let token = String(repeating: "ab", count: 32)
        for urgent in ["0", "0", "1", "0"] {
            try await bench.redis(
                "XADD", bench.key(), "*", "tokens", urgent == "1" ? "\(token) \(token)" : token, "payload", "{}",
                "urgent", urgent)
        }
        let first = try await bench.queue.take(as: .ann, tokens: 3)
        #expect(first.map(\.isUrgent) == [false, false])
        #expect(try await bench.queue.status().urgent == 1)
        try await bench.queue.release(as: .ann, first.map(\.key))
        #expect(try await bench.queue.take(as: .ann, tokens: 9).map(\.isUrgent) == [true, false, false, false])
        #expect(try await bench.queue.deadLetters(limit: 9).isEmpty)
    }

    @Test func anUrgentEntryIsPutIntoAQueueThatNoWorkerHasOpened() async throws {
        let bench = try QueueBench()
        let entries = [try QueueEntry.sample(), try .urgent()]
        try await bench.queue.enqueue(entries)
        #expect(try await bench.another().take(as: .ann, tokens: 9).map(\.id) == [entries[1].id, entries[0].id])
    }

    @Test func aWorkerHasNothingToTakeBehindTheUrgentEntriesOfOthers() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        try await bench.queue.enqueue([.urgent()])
        #expect(try await bench.queue.take(as: .ann, tokens: 1).count == 1)
        #expect(try await bench.queue.take(as: .bob, tokens: 1).isEmpty)
        let start = ContinuousClock.now
        try await bench.queue.wait(as: .bob, upTo: .milliseconds(300))
        #expect(start.duration(to: .now) >= .milliseconds(250))
    }

    /// What a worker has of the urgent lane says nothing of the entries before it.
    @Test func aNewMasterKeepsWhatWaitsBeforeAnUrgentEntry() async throws {
        let stage = try await FailoverStage()
        let others = try (0..<5).map { _ in try QueueEntry.sample() }
        try await stage.queue.enqueue(others)
        let urgent = try QueueEntry.urgent()
        try await stage.queue.enqueue([urgent])
        try await stage.cutOff()
        let mine = try await stage.queue.take(as: .ann, tokens: 1)
        // One that the new master never has.
        try await stage.queue.enqueue([.urgent()])
        let lost = try await stage.queue.take(as: .ann, tokens: 1)
        #expect(mine.map(\.id) == [urgent.id] && lost.first?.isUrgent == true)
        try await stage.failOver()
        _ = try await stage.queue.beat(as: .ann)
        #expect(try await stage.bench.taken(stage.queue) == [.ann: 1])
        let rest = try await stage.queue.take(as: .bob, tokens: 9)
        #expect(rest.map(\.id) == others.map(\.id) && rest.allSatisfy { $0.doubts == 0 })
        let known = Set(lost.map(\.key))
        #expect(try await stage.queue.recover(as: .ann, besides: known).map(\.key) == mine.map(\.key))
        try await stage.queue.settle(as: .ann, (mine + lost).map { try $0.done() })
        #expect(try await stage.rows().count == 2)
    }

    @Test func aNewMasterThatDidNotHearOfAnUrgentEntryGetsItBack() async throws {
        let stage = try await FailoverStage()
        try await stage.queue.enqueue([.sample(), .urgent(2)])
        try await stage.cutOff()
        let taken = try await stage.queue.take(as: .ann, tokens: 9)
        #expect(taken.map(\.isUrgent) == [true, false])
        try await stage.queue.release(as: .ann, taken.filter(\.isUrgent).map(\.key))
        try await stage.failOver()
        _ = try await stage.queue.beat(as: .ann)
        let next = try await stage.queue.take(as: .bob, tokens: 9)
        #expect(next.map(\.isUrgent) == [true] && next.allSatisfy { $0.doubts == 0 })
    }
}

extension TakenEntry {
    fileprivate var id: EntryID? { (try? entry.get())?.id }
    fileprivate var isUrgent: Bool { (try? entry.get())?.isUrgent ?? false }
}
