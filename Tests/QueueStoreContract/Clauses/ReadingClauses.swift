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
        ContractClause("After the last position come only later outcomes.") { stage in
            let store = try await stage.open()
            for list in OutcomeList.allCases { #expect(try await store.lastPosition(of: list) == nil) }
            try await store.settleNew(3)
            let last = try #require(try await store.lastPosition(of: .all))
            #expect(try await store.lastPosition(of: .feedback) == nil)
            #expect(try await store.outcomes(.all, after: last, limit: 9).outcomes.isEmpty)
            let rows = try await store.settleNew(2, .rejected)
            #expect(try await store.outcomes(.all, after: last, limit: 9).outcomes == rows)
            #expect(try await store.allOutcomes(.feedback) == rows)
            let feedback = try #require(try await store.lastPosition(of: .feedback))
            #expect(try await store.outcomes(.feedback, after: feedback, limit: 9).outcomes.isEmpty)
        },
        ContractClause("Outcomes that were read without marking them count as cut.") { stage in
            let (cut, unread) = try await stage.cutOutcomes(afterReading: 20, marking: false)
            #expect(unread == cut)
        },
        ContractClause("Outcomes that were read and marked do not count as cut.") { stage in
            let (cut, unread) = try await stage.cutOutcomes(afterReading: 20, marking: true)
            #expect(unread == max(0, cut - 20))
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
    ]
}

extension ContractStage {
    /// Reads all outcomes, and stores more until some are cut.
    ///
    /// - Returns: How many were cut, and how many of them count as unread.
    fileprivate func cutOutcomes(afterReading count: Int, marking: Bool) async throws -> (cut: Int, unread: Int) {
        let store = try await open(maxOutcomes: count)
        var stored = try await store.settleNew(count).count
        #expect(try await store.allOutcomes(marking: marking).count == count)
        var status = try await store.status()
        // A store may keep some more than that.
        while status.outcomes == stored, stored < 1_000 {
            stored += try await store.settleNew(5).count
            status = try await store.status()
        }
        #expect(stored > status.outcomes)
        return (stored - status.outcomes, status.outcomesCut)
    }
}
