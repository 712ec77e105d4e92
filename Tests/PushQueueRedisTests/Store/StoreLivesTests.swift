import PushQueue
import PushQueueRedis
import QueueTestSupport
import Testing

@Suite struct StoreLivesTests {
    @Test(arguments: 1...12)
    func workersThatStopAtAnyMomentLoseNothingAndForgetNoDoubt(seed: Int) async throws {
        var lives = try await StoreLives(RedisServer(), seed: UInt64(seed))
        for _ in 0..<250 { try await lives.step() }
        try await lives.end()
    }
}

extension StoreLives {
    mutating func step() async throws {
        // On a server that lacks nothing, catching up changes nothing.
        if number(0..<15) == 0 { queue.serverChanged() }
        let worker = workers[number(0..<workers.count)]
        let keys = (holds[worker] ?? [:]).keys.sorted { $0.description < $1.description }
        let key = keys.isEmpty ? nil : keys[number(0..<keys.count)]
        switch number(0..<100) {
        case ..<18: try await put()
        case ..<36: try await take(worker)
        case ..<56: if let key { try await send(worker, key) }
        case ..<76: if let key { try await answer(worker, key) }
        case ..<82: try await release(worker)
        case ..<85: stop(worker)
        case ..<95: try await reclaim(worker)
        case ..<97: try await cancel()
        default: try await settle()
        }
    }

    /// All workers stop. One that loses nothing takes everything over and ends it. Then each token has one outcome.
    mutating func end() async throws {
        client.decide { .pass }
        for worker in workers { stop(worker) }
        let last = workers[0]
        var isOpen = true
        while isOpen {
            for (worker, counter) in try await queue.beat(as: last) where worker != last {
                let page = try await queue.reclaim(from: worker, at: counter, as: last, limit: 100)
                for entry in page { try receive(entry, as: last) }
            }
            for entry in try await queue.take(as: last, tokens: 5_000) { try receive(entry, as: last) }
            for hold in (holds[last] ?? [:]).values {
                let rows = try hold.taken.rows().filter { !hold.settled.contains($0.index) }
                unsettled.append((last, Settlement(hold.taken.key, rows: rows, fate: .done)))
            }
            holds[last] = [:]
            try await settle()
            let status = try await queue.status()
            isOpen = status.waiting > 0 || status.delayed > 0 || status.taken > 0
        }
        try await judgeOutcomes()
        #expect(try await queue.beat(as: last).count == 1)
        let left = try await bench.redis("EXISTS", bench.key("progress"), bench.key("delayed"))
        // Notes of entries that a worker claimed in vain, after the server changed, end by themselves.
        let script = """
            local n = 0
            for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do n = n + (string.find(name, '^wanted ') and 0 or 1) end
            return n
            """
        let others = try await bench.redis("EVAL", script, "1", bench.key("orphans"))
        let isNothingLeft = left == .integer(0) && others == .integer(0)
        #expect(isNothingLeft, "Nothing is kept of what has ended.")
    }

    private func judgeOutcomes() async throws {
        var counts: [EntryID: [Int: Int]] = [:]
        for row in try await bench.rows() { counts[row.entry, default: [:]][row.index, default: 0] += 1 }
        for (id, story) in stories {
            let rows = counts[id] ?? [:]
            #expect(rows.values.allSatisfy { $0 == 1 }, "A token has two outcomes.")
            let isWhole = rows.count == story.tokens
            let mayBeMissing = cancelled.contains(id) || mayBeCancelled.contains(id)
            #expect(isWhole || mayBeMissing || (rows.isEmpty && !stored.contains(id)), "A token has no outcome.")
        }
    }
}
