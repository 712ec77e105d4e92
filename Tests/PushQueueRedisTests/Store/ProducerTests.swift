import Foundation
import PushQueue
import PushQueueRedis
import Testing

/// What producers in any language put in.
@Suite struct RedisProducerTests {
    private let token = String(repeating: "ab", count: 32)

    @Test func aPlainXADDIsAnEntryWithAnIDOfItsKey() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        let tokens = "\(token) \(token.uppercased())"
        try await bench.redis("XADD", bench.key(), "2700000000000-3", "payload", #"{"aps":{}}"#, "tokens", tokens)
        let taken = try #require(try await bench.queue.take(as: .ann, tokens: 9).first)
        let entry = try taken.entry.get()
        #expect(entry.tokens.count == 2)
        #expect(entry.id.high >> 16 == 2_700_000_000_000 && entry.id.low >> 32 == 3)
        // It is the same wherever it is read: by recover, by the next worker, when it is delayed, and as a dead letter.
        #expect(try await bench.queue.recover(as: .ann, besides: []).map { try $0.entry.get().id } == [entry.id])
        let past = Date(timeIntervalSince1970: 0)
        try await bench.queue.settle(as: .ann, [Settlement(taken.key, rows: [], fate: .again(notBefore: past))])
        let again = try #require(try await bench.queue.take(as: .bob, tokens: 9).first)
        #expect(try again.entry.get().id == entry.id && again.key != taken.key)
        try await bench.queue.settle(as: .bob, [Settlement(again.key, rows: [], fate: .dead("test"))])
        #expect(try await bench.queue.deadLetters(limit: 9).map { try $0.entry.get().id } == [entry.id])
    }

    @Test func aPlainXADDIsCancelledByTheIDOfItsKey() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        try await bench.redis("XADD", bench.key(), "*", "payload", #"{"aps":{}}"#, "tokens", token)
        let taken = try #require(try await bench.queue.take(as: .ann, tokens: 9).first)
        try await bench.queue.release(as: .ann, [taken.key])
        let id = try taken.entry.get().id
        #expect(try await bench.queue.cancel([id, EntryID()]) == Cancellation(removed: [id]))
        let status = try await bench.queue.status()
        #expect(status.waiting == 0 && status.taken == 0 && status.dead == 0)
    }

    @Test func aPlainXADDWithATimeWaitsForIt() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        let time = "\(Date().timeIntervalSince1970 + 1_000)"
        try await bench.redis(
            "XADD", bench.key(), "*", "payload", #"{"aps":{}}"#, "tokens", token, "not_before", time)
        #expect(try await bench.queue.take(as: .ann, tokens: 9).isEmpty)
        #expect(try await bench.queue.status().delayed == 1)
    }

    /// A dead letter that was put back has a time of its own, and tokens that are settled.
    @Test func anEntryThatIsDelayedWhenItIsReadKeepsItsProgress() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        let time = "\(Date().timeIntervalSince1970 + 1_000)"
        let letter = try await bench.redis(
            "XADD", bench.key("dead"), "*", "reason", "test", "settled", "1", "payload", #"{"aps":{}}"#,
            "tokens", "\(token) \(token)cd", "not_before", time)
        guard case .bytes(let id) = letter else { Issue.record("\(letter)"); return }
        let key = DeadLetter.Key(String(decoding: id, as: UTF8.self))
        #expect(try await bench.queue.requeue([key]) == [key])
        #expect(try await bench.redis("HLEN", bench.key("progress")) == .integer(1))
        #expect(try await bench.queue.take(as: .ann, tokens: 9).isEmpty)
        #expect(try await bench.redis("HLEN", bench.key("progress")) == .integer(0))
        let stored = try await bench.redis("HVALS", bench.key("delayed"))
        guard case .bytes(let bytes)? = stored.first else { Issue.record("\(stored)"); return }
        #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("0 0 0 0 1"))
    }

    @Test func whatCannotBeReadIsTakenAndBuriedWithItsBytes() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        let records = [
            ["payload", "{", "tokens", token], ["what", "is this"], ["tokens", token, "not_before", "1e300"],
        ]
        for words in records {
            _ = try await bench.redis.execute([
                RedisCommand(words: (["XADD", bench.key(), "*"] + words).map { Array($0.utf8) })
            ])
        }
        try await bench.put()
        let taken = try await bench.queue.take(as: .ann, tokens: 9)
        #expect(taken.map { (try? $0.entry.get()) != nil } == [false, false, false, true])
        for entry in taken.dropLast() {
            #expect(throws: QueueError.self) { try entry.entry.get() }
            try await bench.queue.settle(as: .ann, [Settlement(entry.key, rows: [], fate: .dead("unreadable"))])
        }
        #expect(
            try await bench.queue.deadLetters(limit: 9).map(\.reason) == ["unreadable", "unreadable", "unreadable"])
        #expect(try await bench.queue.deadLetters(limit: 9).allSatisfy { $0.fields["id"] != nil })
        #expect(try await bench.queue.deadLetters(limit: 1).first?.fields["tokens"] == token)
        let stored = try await bench.redis("XRANGE", bench.key("dead"), "-", "+", "COUNT", "1")
        #expect("\(stored)".contains("\(Array(token.utf8))"))
        #expect(try await bench.queue.status().dead == 3)
        // Those that cannot be read can be put back, and discarded.
        let letters = try await bench.queue.deadLetters(limit: 9).map(\.key)
        let foreign = [DeadLetter.Key("0-1"), DeadLetter.Key("x"), DeadLetter.Key("")]
        #expect(try await bench.queue.discard([letters[0]] + foreign) == [letters[0]])
        #expect(try await bench.queue.requeue(letters + foreign) == Array(letters[1...]))
        let again = try await bench.queue.take(as: .bob, tokens: 9)
        #expect(again.count == 2 && again.allSatisfy { (try? $0.entry.get()) == nil })
        #expect(try await bench.queue.status().dead == 0)
    }

    @Test func aHugeRecordIsBuried() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        let words = ["XADD", bench.key(), "*"] + (0..<20_000).map { "f\($0)" }
        _ = try await bench.redis.execute([RedisCommand(words: words.map { Array($0.utf8) })])
        let taken = try #require(try await bench.queue.take(as: .ann, tokens: 9).first)
        try await bench.queue.settle(as: .ann, [Settlement(taken.key, rows: [], fate: .dead("unreadable"))])
        #expect(try await bench.queue.status().dead == 1)
        #expect(try await bench.queue.recover(as: .ann, besides: []).isEmpty)
    }

    @Test func aRecordOfTooManyFieldsIsNotDelayedButBuried() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        let words = ["XADD", bench.key(), "*"] + (0..<20_000).map { "f\($0)" }
        _ = try await bench.redis.execute([RedisCommand(words: words.map { Array($0.utf8) })])
        let taken = try #require(try await bench.queue.take(as: .ann, tokens: 9).first)
        try await bench.queue.settle(as: .ann, [Settlement(taken.key, rows: [], fate: .again(notBefore: .distantPast))])
        _ = try await bench.queue.beat(as: .ann)
        let status = try await bench.queue.status()
        #expect(status.dead == 1 && status.delayed == 0 && status.waiting == 0 && status.taken == 0)
        let letter = try #require(try await bench.queue.deadLetters(limit: 1).first)
        #expect(letter.reason.contains("more than 50 fields"))
    }

    @Test func aDelayedRecordThatCannotBeReadIsBuried() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        try await bench.redis("HSET", bench.key("delayed"), "x:1", "junk")
        try await bench.redis("ZADD", bench.key("later"), "0", "x:1")
        let entry = try await bench.put()
        let taken = try await bench.queue.take(as: .ann, tokens: 9)
        #expect(try taken.map { try $0.entry.get().id } == [entry.id])
        let status = try await bench.queue.status()
        #expect(status.dead == 1 && status.delayed == 0)
    }

    @Test func aHeartbeatMovesAboutOneMebibyteOfDelayedEntries() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        let script = """
            for i = 1, 5 do
              local fields = {'id', string.format('%032x', i), 'tokens', 'ab', 'payload', string.rep('x', ARGV[1])}
              redis.call('HSET', KEYS[2], i, cmsgpack.pack({fields, ''}))
              redis.call('ZADD', KEYS[1], i, i)
            end
            """
        let keys = [bench.key("later"), bench.key("delayed")]
        try await bench.redis("EVAL", script, "2", keys[0], keys[1], "600000")
        for delayed in [3, 1, 0, 0] {
            _ = try await bench.queue.beat(as: .ann)
            #expect(try await bench.queue.status().delayed == delayed)
        }
        // One that is larger than that is moved all the same.
        try await bench.redis("EVAL", script, "2", keys[0], keys[1], "1200000")
        _ = try await bench.queue.beat(as: .ann)
        #expect(try await bench.queue.status().delayed == 4)
    }

    @Test func oneTakeLooksAtABoundedNumberOfEntriesWithATime() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        let script = """
            for i = 1, 2500 do redis.call('XADD', KEYS[1], '*', 'payload', '{}', 'tokens', 'ab', 'not_before', ARGV[1]) end
            """
        try await bench.redis("EVAL", script, "1", bench.key(), "\(Date().timeIntervalSince1970 + 1_000)")
        let entry = try await bench.put()
        var delayed: [Int] = []
        for _ in 0..<2 {
            #expect(try await bench.queue.take(as: .ann, tokens: 10_000).isEmpty)
            delayed.append(try await bench.queue.status().delayed)
            try await bench.queue.wait(as: .ann, upTo: .seconds(3_600))
        }
        #expect(delayed == [1_000, 2_000])
        #expect(try await bench.queue.take(as: .ann, tokens: 10_000).map { try $0.entry.get().id } == [entry.id])
    }

    @Test func emptyTokensDoNotCount() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        let tokens = "  \(token)" + String(repeating: " ", count: 400)
        try await bench.redis("XADD", bench.key(), "*", "payload", #"{"aps":{}}"#, "tokens", tokens)
        #expect(try await bench.queue.take(as: .ann, tokens: 9).count == 1)
        #expect(try await bench.queue.reclaim(from: .ann, at: 0, as: .bob, limit: 9).map(\.offered) == [1])
    }

    @Test func cancelNeedsNoWorkerBeforeIt() async throws {
        let bench = try QueueBench()
        let entries = [try await bench.put(), try await bench.put(1, notBefore: .distantFuture), try await bench.put()]
        let ids = entries.map(\.id)
        #expect(try await bench.another().cancel(Array(ids[1...])) == Cancellation(removed: Array(ids[1...])))
        try await bench.queue.open(as: .ann)
        #expect(try await bench.queue.take(as: .ann, tokens: 9).map { try $0.entry.get().id } == [ids[0]])
        #expect(try await bench.another().cancel(ids) == Cancellation(taken: [ids[0]]))
    }

    @Test func cancelLooksAtEveryPage() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        let entries = try (0..<1_700).map { try QueueEntry.sample(1, notBefore: $0 % 3 == 0 ? .distantFuture : nil) }
        try await bench.queue.enqueue(entries)
        let taken = try await bench.queue.take(as: .ann, tokens: 10)
        #expect(taken.count == 10)
        let ids = entries.map(\.id)
        let out = Set(try taken.map { try $0.entry.get().id })
        let report = try await bench.queue.cancel(ids + [EntryID()] + ids)
        #expect(report.removed == ids.filter { !out.contains($0) } && report.taken == ids.filter(out.contains))
        let status = try await bench.queue.status()
        #expect(status.waiting == 0 && status.delayed == 0 && status.taken == 10)
    }

    @Test func anEntryThatDoesNotFitAddsNothing() async throws {
        var options = RedisQueue.Configuration()
        options.maxEntries = 3
        let bench = try QueueBench(options: options)
        try await bench.queue.open(as: .ann)
        try await bench.queue.enqueue([.sample(), .sample(1, notBefore: .distantFuture)])
        let caught = await #expect(throws: QueueError.self) {
            try await bench.queue.enqueue([.sample(), .sample()])
        }
        #expect(caught?.code == .full)
        let status = try await bench.queue.status()
        #expect(status.waiting == 1 && status.delayed == 1)
    }
}
