import FoundationEssentials
import PushQueue
import SupervisedPush
import Testing

extension QueueStoreClause {
    static let deadLetters = [
        QueueStoreClause("Dead letters are read oldest first.") { stage in
            let store = try await stage.open()
            try await store.enqueue((0..<3).map { _ in try sampleEntry() })
            let taken = try await store.take(as: .ann, tokens: 3)
            for (number, entry) in taken.enumerated() {
                try await store.settle(as: .ann, [Settlement(entry.key, rows: [], fate: .dead("reason \(number)"))])
            }
            #expect(try await store.deadLetters(limit: 2).map(\.reason) == ["reason 0", "reason 1"])
            #expect(try await store.deadLetters(limit: 9).map { try $0.entry.get().id } == taken.map(\.id))
        },
        QueueStoreClause("A dead letter is put back with no doubts.") { stage in
            let store = try await stage.open()
            let entry = try await store.put(2)
            _ = try await store.takeOne(as: .ann)
            let over = try #require(try await store.reclaimAll(from: .ann, as: .bob).first)
            #expect(over.doubts == 1)
            try await store.settle(as: .bob, [Settlement(over.key, rows: [], fate: .dead("poison"))])
            let letter = try #require(try await store.deadLetters(limit: 9).first).key
            #expect(try await store.requeue([letter]) == [letter])
            #expect(try await store.requeue([letter]).isEmpty)
            #expect(try await store.discard([letter]).isEmpty)
            #expect(try await store.deadLetters(limit: 9).isEmpty)
            let again = try await store.takeOne(as: .eve)
            #expect(again.id == entry.id && again.doubts == 0 && again.offered == 0)
            try await store.settle(as: .eve, [again.settlement()])
            #expect(try await store.allOutcomes().count == 2)
        },
        QueueStoreClause("A dead letter that is put back is not pushed again where APNs answered.") { stage in
            let store = try await stage.open()
            try await store.put(4)
            let taken = try await store.takeOne(as: .ann)
            try await store.settle(as: .ann, [Settlement(taken.key, rows: [taken.row(2)], fate: .open)])
            let rows = try [taken.row(0, .rejected), taken.row(1, .unknown), taken.row(3, .failed)]
            try await store.settle(as: .ann, [Settlement(taken.key, rows: rows, fate: .dead("poison"))])
            let letters = try await store.deadLetters(limit: 9).map(\.key)
            #expect(try await store.requeue(letters) == letters && letters.count == 1)
            #expect(try await store.takeOne(as: .eve).settled == TokenSet([0, 2]))
        },
        QueueStoreClause("A dead letter that is put back was never postponed.") { stage in
            let store = try await stage.open()
            try await store.put()
            let taken = try await store.takeOne(as: .ann)
            try await store.settle(
                as: .ann, [Settlement(taken.key, rows: [], fate: .again(notBefore: stage.now() - 1, retries: 3))])
            _ = try await store.beat(as: .ann)
            let again = try await store.takeOne(as: .ann)
            try await store.settle(
                as: .ann, [Settlement(again.key, rows: [again.row(0, .failed)], fate: .dead("poison"))])
            _ = try await store.requeue(store.deadLetters(limit: 9).map(\.key))
            #expect(try await store.takeOne(as: .bob).retries == 0)
        },
        QueueStoreClause("Of two dead letters with one id, one is put back and the other is removed.") { stage in
            let store = try await stage.open()
            let entry = try sampleEntry()
            try await store.enqueue([entry, entry])
            for taken in try await store.take(as: .ann, tokens: 2) {
                try await store.settle(
                    as: .ann, [Settlement(taken.key, rows: [taken.row(0, .failed)], fate: .dead("poison"))])
            }
            let letters = try await store.deadLetters(limit: 9).map(\.key)
            try #require(letters.count == 2 && letters[0] != letters[1])
            #expect(try await store.requeue([letters[1]]) == [letters[1]])
            #expect(try await store.deadLetters(limit: 9).map(\.key) == [letters[0]])
            #expect(try await store.discard(letters) == [letters[0]])
            #expect(try await store.status().dead == 0)
            #expect(try await store.takeOne(as: .bob).id == entry.id)
            // The outcomes stay.
            #expect(try await store.allOutcomes().count == 2)
        },
        QueueStoreClause("An entry that cannot be read is put back and removed like any other dead letter.") { stage in
            guard let putUnreadable = stage.putUnreadable else { return }
            let store = try await stage.open()
            try await putUnreadable(store)
            let letter = try await store.buryUnreadable()
            #expect(try await store.requeue([letter.key]) == [letter.key])
            #expect(try await store.status().dead == 0)
            let again = try await store.buryUnreadable()
            #expect(try await store.discard([again.key]) == [again.key])
            #expect(try await store.discard([again.key]).isEmpty)
            let status = try await store.status()
            #expect(status.dead == 0 && status.waiting == 0 && status.taken == 0 && status.outcomes == 0)
        },
    ]
}

extension PushQueueStore {
    /// Takes the one entry, which cannot be read, and makes it a dead letter.
    fileprivate func buryUnreadable() async throws -> DeadLetter {
        let taken = try await takeOne(as: .ann)
        #expect(throws: QueueError.self) { try taken.entry.get() }
        try await settle(as: .ann, [Settlement(taken.key, rows: [], fate: .dead("It has no payload."))])
        let letter = try #require(try await deadLetters(limit: 9).first)
        #expect(throws: QueueError.self) { try letter.entry.get() }
        #expect(letter.reason == "It has no payload.")
        return letter
    }
}
