import FoundationEssentials
import PushQueue
import SupervisedPush
import Testing

extension PushQueueStore {
    /// Puts one urgent entry in.
    @discardableResult
    fileprivate func putUrgent(
        _ tokens: Int = 1, notBefore: Date? = nil, to devices: [DeviceToken]? = nil
    ) async throws -> EntryID {
        var entry = try sampleEntry(tokens, notBefore: notBefore)
        entry.isUrgent = true
        if let devices { entry.tokens = devices }
        try await enqueue([entry])
        return entry.id
    }

    /// Puts as many entries of one token in, in one call.
    fileprivate func putOrdinary(_ count: Int) async throws -> [EntryID] {
        let entries = try (0..<count).map { _ in try sampleEntry() }
        try await enqueue(entries)
        return entries.map(\.id)
    }
}

extension QueueStoreClause {
    static let lanes = [
        QueueStoreClause("Urgent entries are taken before others, the oldest first.") { stage in
            let store = try await stage.open()
            let others = try await store.putOrdinary(3)
            let first = try await store.putUrgent()
            let last = try await store.put().id
            let second = try await store.putUrgent(2)
            #expect(try await store.status().waiting == 6)
            #expect(try await store.status().urgent == 2)
            let taken = try await store.take(as: .ann, tokens: 4)
            #expect(taken.map(\.id) == [first, second, others[0]])
            #expect(try taken.map { try $0.entry.get().isUrgent } == [true, true, false])
            #expect(try await store.status().urgent == 0)
            #expect(try await store.take(as: .bob, tokens: 9).map(\.id) == others[1...] + [last])
            #expect(try await store.take(as: .bob, tokens: 9).isEmpty)
            #expect(try await store.takenBy(.ann) == 3)
            #expect(try await store.takenBy(.bob) == 3)
        },
        QueueStoreClause("Of each eight tokens, one is of the others, whoever takes them.") { stage in
            let store = try await stage.open()
            let others = try await store.putOrdinary(10)
            for _ in 0..<40 { try await store.putUrgent() }
            var taken: [TakenEntry] = []
            for worker in [WorkerID.ann, .bob, .eve, .bob] { taken += try await store.take(as: worker, tokens: 8) }
            for _ in 0..<8 { taken += try await store.take(as: .ann, tokens: 1) }
            #expect(taken.count == 40)
            let places = taken.indices.filter { (try? taken[$0].entry.get().isUrgent) == false }
            #expect(places == [7, 15, 23, 31, 39])
            #expect(places.map { taken[$0].id } == Array(others[..<5]))
        },
        QueueStoreClause("A large entry pays for as many as its tokens.") { stage in
            let store = try await stage.open()
            for _ in 0..<2 { try await store.put(3) }
            for _ in 0..<40 { try await store.putUrgent() }
            let taken = try await store.take(as: .ann, tokens: 40)
            let places = taken.indices.filter { (try? taken[$0].entry.get().isUrgent) == false }
            // Seven urgent ones, three tokens of the first, which are for 21, and then the second.
            #expect(places == [7, 29])
        },
        QueueStoreClause("Where only one lane has something, it is taken, and nothing is owed for it.") { stage in
            let store = try await stage.open()
            for _ in 0..<20 { try await store.putUrgent() }
            #expect(try await store.take(as: .ann, tokens: 20).count == 20)
            try await store.putUrgent(1_000)
            #expect(try await store.take(as: .ann, tokens: 1_000).count == 1)
            let others = try await store.putOrdinary(20)
            let early = try await store.putUrgent()
            #expect(try await store.take(as: .ann, tokens: 1).map(\.id) == [early])
            #expect(try await store.take(as: .ann, tokens: 10).map(\.id) == Array(others[..<10]))
            let urgent = try await store.putUrgent()
            #expect(try await store.take(as: .ann, tokens: 2).map(\.id) == [urgent, others[10]])
        },
        QueueStoreClause("Urgent entries alone are taken as fast as others.") { stage in
            let store = try await stage.open()
            for _ in 0..<30 {
                try await store.enqueue(
                    try (0..<100).map { _ in
                        var entry = try sampleEntry()
                        entry.isUrgent = true
                        return entry
                    })
            }
            for _ in 0..<5 { #expect(try await store.take(as: .ann, tokens: 256).count == 256) }
            let other = try await store.put().id
            var taken: [TakenEntry] = []
            while case let more = try await store.take(as: .ann, tokens: 256), !more.isEmpty { taken += more }
            #expect(taken.count == 3_001 - 5 * 256)
            #expect(try #require(taken.firstIndex { $0.id == other }) < taken.count - 1, "The share is kept.")
        },
        QueueStoreClause("Nothing passes an urgent entry that does not fit.") { stage in
            let store = try await stage.open()
            let other = try await store.put().id
            let first = try await store.putUrgent(3)
            let second = try await store.putUrgent(5)
            #expect(try await store.take(as: .ann, tokens: 7).map(\.id) == [first])
            #expect(try await store.take(as: .ann, tokens: 7).map(\.id) == [second, other])
        },
        QueueStoreClause("An urgent entry that was delayed is urgent when it is due.") { stage in
            let store = try await stage.open()
            let delayed = try await store.putUrgent(notBefore: stage.soon)
            let others = try await store.putOrdinary(2)
            #expect(try await store.status().delayed == 1)
            #expect(try await store.take(as: .ann, tokens: 1).map(\.id) == [others[0]])
            try await stage.passDelay()
            _ = try await store.beat(as: .ann)
            #expect(try await store.take(as: .ann, tokens: 9).map(\.id) == [delayed, others[1]])
        },
        QueueStoreClause("An urgent entry that was given back or put off is taken before others.") { stage in
            let store = try await stage.open()
            let others = try await store.putOrdinary(3)
            let (first, second) = (try await store.putUrgent(), try await store.putUrgent())
            let taken = try await store.take(as: .ann, tokens: 3)
            #expect(taken.map(\.id) == [first, second, others[0]])
            try await store.release(as: .ann, taken.filter { $0.id != second }.map(\.key))
            #expect(try await store.take(as: .bob, tokens: 2).map(\.id) == [first, others[0]])
            let again = Settlement.Fate.again(notBefore: Date(timeIntervalSince1970: 0), retries: 1)
            let put = taken.filter { $0.id == second }.map { Settlement($0.key, rows: [], fate: again) }
            try await store.settle(as: .ann, put)
            let next = try await store.take(as: .bob, tokens: 2)
            #expect(next.map(\.id) == [second, others[1]] && next.first?.retries == 1)
        },
        QueueStoreClause("An urgent entry is taken over, recovered and settled as any other.") { stage in
            let store = try await stage.open()
            let others = try await store.putOrdinary(2)
            let ids = [try await store.putUrgent(), try await store.putUrgent(2)]
            _ = try await store.take(as: .ann, tokens: 3)
            #expect(Set(try await store.recover(as: .ann, besides: []).map(\.id)) == Set(ids))
            // Others come to what is behind them.
            #expect(try await store.take(as: .eve, tokens: 9).map(\.id) == others)
            #expect(Set(try await store.recover(as: .ann, besides: []).map(\.id)) == Set(ids))
            #expect(try await store.cancel(ids).taken.count == 2)
            let over = try await store.reclaimAll(from: .ann, as: .bob)
            #expect(over.map(\.id) == ids && over.allSatisfy { $0.doubts == 1 })
            try await store.settle(as: .bob, over.map { try $0.settlement() })
            #expect(try await store.allOutcomes().count == 3)
            #expect(try await store.take(as: .eve, tokens: 9).isEmpty)
            #expect(try await store.status().taken == 2)
        },
        QueueStoreClause("An urgent entry that waits can be found and cancelled.") { stage in
            let store = try await stage.open()
            try await store.put()
            let id = try await store.putUrgent()
            let token = try #require(try sampleEntry(id: id).tokens.first)
            let found = try await store.entries(with: token, limit: 9)
            #expect(found.map(\.id) == [id] && found.allSatisfy { $0.isUrgent && $0.place == .waiting })
            #expect(try await store.cancel([id]) == Cancellation(removed: [id]))
            #expect(try await store.status().waiting == 1)
            #expect(try await store.takeOne(as: .ann).id != id)
        },
        QueueStoreClause("An urgent dead letter is urgent when it is put back.") { stage in
            let store = try await stage.open()
            let id = try await store.putUrgent()
            let taken = try await store.takeOne(as: .ann)
            try await store.settle(as: .ann, [Settlement(taken.key, rows: [], fate: .dead("poison"))])
            let other = try await store.put().id
            let letters = try await store.deadLetters(limit: 9)
            #expect(try letters.map { try $0.entry.get().isUrgent } == [true])
            #expect(try await store.requeue(letters.map(\.key)).count == 1)
            #expect(try await store.take(as: .bob, tokens: 2).map(\.id) == [id, other])
        },
        QueueStoreClause("An urgent campaign that is paused waits, and is urgent when it goes on.") { stage in
            let store = try await stage.open()
            let name = try CampaignName("alarm")
            let place = try await store.begin(name, with: CampaignInput(records: "aa", author: "anna"))
            let batch = CampaignBatch(after: place, through: 2, isLast: true)
            let entries = try (1...2).map { line in
                var entry = try sampleEntry(id: batch.id(ofLine: line))
                entry.isUrgent = true
                return entry
            }
            let others = try await store.putOrdinary(3)
            try await store.enqueue(entries, as: batch)
            try await store.steer(.pause, campaign: name)
            #expect(try await store.take(as: .ann, tokens: 2).map(\.id) == Array(others[..<2]))
            #expect(try await store.standing(of: "alarm").places.waiting == 2)
            try await store.steer(.resume, campaign: name)
            #expect(try await store.take(as: .ann, tokens: 9).map(\.id) == entries.map(\.id) + [others[2]])
        },
        QueueStoreClause("A device's entries of one lane keep their order, and none passes one that was taken.") {
            stage in
            let store = try await stage.open()
            let device = [try DeviceToken("aa0b")]
            func putOther() async throws -> EntryID {
                var entry = try sampleEntry()
                entry.tokens = device
                try await store.enqueue([entry])
                return entry.id
            }
            let early = try await putOther()
            #expect(try await store.take(as: .ann, tokens: 1).map(\.id) == [early])
            var (urgent, others): ([EntryID], [EntryID]) = ([], [])
            for _ in 0..<3 {
                others.append(try await putOther())
                urgent.append(try await store.putUrgent(to: device))
            }
            #expect(try await store.take(as: .ann, tokens: 9).map(\.id) == urgent + others)
            #expect(try await store.takenBy(.ann) == 7)
        },
        QueueStoreClause("A worker is woken by an urgent entry that is given back.") { stage in
            let store = try await stage.open()
            try await store.putUrgent()
            let taken = try await store.takeOne(as: .ann)
            #expect(try await store.take(as: .bob, tokens: 9).isEmpty)
            try await store.release(as: .ann, [taken.key])
            try await store.wait(as: .bob, upTo: .seconds(60))
            #expect(try await store.takeOne(as: .bob).id == taken.id)
        },
    ]
}
