import Foundation
import PushQueue
import Testing

extension ContractClause {
    static let reading = [
        ContractClause("Outcomes are read in their order, from where the reader was.") { stage in
            let store = try await stage.open()
            let empty = try await store.outcomes(.all, after: nil, limit: 5)
            #expect(empty.outcomes.isEmpty)
            try await store.enqueue((0..<4).map { _ in try sampleEntry(3) })
            let taken = try await store.take(as: .ann, tokens: 12)
            let rows = try taken.flatMap { try $0.settlement().rows }
            try await store.settle(as: .ann, taken[..<2].map { try $0.settlement() })
            for entry in taken[2...] { try await store.settle(as: .ann, [entry.settlement()]) }
            var (read, position, calls) = ([QueueOutcome](), empty.position, 0)
            while calls < 20 {
                let page = try await store.outcomes(.all, after: position, limit: 5)
                #expect(page.outcomes.count <= 5)
                if page.outcomes.isEmpty { break }
                (read, position, calls) = (read + page.outcomes, page.position, calls + 1)
            }
            #expect(read == rows)
            // The same position gives the same page, and later outcomes follow the last position.
            let first = try await store.outcomes(.all, after: nil, limit: 5)
            #expect(first.outcomes == Array(rows[..<first.outcomes.count]))
            try await store.put()
            let last = try await store.takeOne(as: .ann)
            try await store.settle(as: .ann, [last.settlement()])
            #expect(try await store.outcomes(.all, after: position, limit: 5).outcomes == [last.row(0)])
        },
        ContractClause("An empty page keeps the position.") { stage in
            let store = try await stage.open()
            try await store.put()
            try await store.settle(as: .ann, [store.takeOne(as: .ann).settlement()])
            let position = try await store.outcomes(.all, after: nil, limit: 9).position
            #expect(position != nil)
            let none = try await store.outcomes(.all, after: position, limit: 9)
            #expect(none.outcomes.isEmpty)
            #expect(try await store.outcomes(.all, after: none.position, limit: 9).outcomes.isEmpty)
        },
        ContractClause("Feedback has only tokens that must not be used any more.") { stage in
            let store = try await stage.open()
            try await store.put(3)
            let taken = try await store.takeOne(as: .ann)
            let gone = try taken.row(1, .rejected)
            try await store.settle(as: .ann, [Settlement(taken.key, [taken.row(0), gone, taken.row(2)], .done)])
            #expect(try await store.allOutcomes(.feedback) == [gone])
            #expect(try await store.allOutcomes().count == 3)
            #expect(try await store.status().outcomes == 3)
        },
        ContractClause("The status counts what is where.") { stage in
            let store = try await stage.open()
            #expect(try await store.status() == QueueStatus())
            let before = stage.now()
            for _ in 0..<5 { try await store.put() }
            try await store.put(1, notBefore: stage.now() + 60)
            let taken = try await store.take(as: .ann, tokens: 2)
            _ = try await store.take(as: .bob, tokens: 1)
            try await store.settle(as: .ann, [taken[0].settlement()])
            var status = try await store.status()
            let oldest = try #require(status.oldest)
            #expect(oldest > before - 1 && oldest <= stage.now() + 1)
            status.oldest = nil
            var expected = QueueStatus()
            (expected.waiting, expected.delayed, expected.taken, expected.outcomes) = (2, 1, [.ann: 1, .bob: 1], 1)
            #expect(status == expected)
        },
    ]

    static let deadLetters = [
        ContractClause("Dead letters are read oldest first.") { stage in
            let store = try await stage.open()
            try await store.enqueue((0..<3).map { _ in try sampleEntry() })
            let taken = try await store.take(as: .ann, tokens: 3)
            for (number, entry) in taken.enumerated() {
                try await store.settle(as: .ann, [Settlement(entry.key, [], .dead("reason \(number)"))])
            }
            #expect(try await store.deadLetters(limit: 2).map(\.reason) == ["reason 0", "reason 1"])
            #expect(try await store.deadLetters(limit: 9).map { try $0.entry.get().id } == taken.map(\.id))
        },
        ContractClause("A dead letter is put back with no doubts.") { stage in
            let store = try await stage.open()
            let entry = try await store.put(2)
            _ = try await store.takeOne(as: .ann)
            let over = try #require(try await store.reclaimAll(from: .ann, as: .bob).first)
            #expect(over.doubts == 1)
            try await store.settle(as: .bob, [Settlement(over.key, [], .dead("poison"))])
            #expect(try await store.requeue([entry.id, EntryID()]) == [entry.id])
            #expect(try await store.requeue([entry.id]).isEmpty)
            #expect(try await store.deadLetters(limit: 9).isEmpty)
            let again = try await store.takeOne(as: .eve)
            #expect(again.id == entry.id && again.doubts == 0 && again.offered == 0)
            try await store.settle(as: .eve, [again.settlement()])
            #expect(try await store.allOutcomes().count == 2)
        },
        ContractClause("A dead letter that is put back is not pushed again where APNs answered.") { stage in
            let store = try await stage.open()
            let entry = try await store.put(4)
            let taken = try await store.takeOne(as: .ann)
            try await store.settle(as: .ann, [Settlement(taken.key, [taken.row(2)], .open)])
            let rows = try [taken.row(0, .rejected), taken.row(1, .unknown), taken.row(3, .failed)]
            try await store.settle(as: .ann, [Settlement(taken.key, rows, .dead("poison"))])
            #expect(try await store.requeue([entry.id]) == [entry.id])
            #expect(try await store.takeOne(as: .eve).settled == TokenSet([0, 2]))
        },
    ]
}
