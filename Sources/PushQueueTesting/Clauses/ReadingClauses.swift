import FoundationEssentials
import PushQueue
import SupervisedPush
import Testing

extension QueueStoreClause {
    static let reading = [
        QueueStoreClause("A device token is found where it waits, until it has an outcome.") { stage in
            let store = try await stage.open()
            let anna = try DeviceToken(String(repeating: "Ab", count: 32))
            let ben = try DeviceToken(String(repeating: "cd", count: 32))
            let now = try QueueEntry(sampleEntry().notification, to: [ben, anna], id: EntryID())
            let later = try QueueEntry(
                sampleEntry().notification, to: [anna], id: EntryID(), notBefore: stage.now() + 60)
            try await store.put(3)
            try await store.enqueue([now, later])
            let lower = try DeviceToken(anna.hex.lowercased())
            var found = try await store.entries(with: lower, limit: 9)
            #expect(Set(found.map(\.id)) == [now.id, later.id])
            #expect(found.first { $0.id == now.id }.map { [$0.index] } == [1])
            #expect(found.first { $0.id == now.id }?.place == .waiting)
            guard case .scheduled? = found.first(where: { $0.id == later.id })?.place else {
                Issue.record("It is not scheduled.")
                return
            }
            #expect(try await store.entries(with: anna, limit: 1).count == 1)
            let taken = try #require(try await store.take(as: .ann, tokens: 99).first { $0.id == now.id })
            found = try await store.entries(with: anna, limit: 9)
            #expect(found.first { $0.id == now.id }?.place == .taken(by: .ann))
            try await store.settle(as: .ann, [Settlement(taken.key, rows: [taken.row(1)], fate: .open)])
            #expect(try await store.entries(with: anna, limit: 9).map(\.id) == [later.id])
            #expect(try await store.entries(with: ben, limit: 9).map(\.id) == [now.id])
            try await store.settle(as: .ann, [Settlement(taken.key, rows: [], fate: .dead("It is broken."))])
            let dead = try #require(try await store.entries(with: ben, limit: 9).first)
            #expect(dead.place == .dead("It is broken.") && dead.id == now.id)
        },
        QueueStoreClause("Each outcome has a position behind which a reader goes on.") { stage in
            let store = try await stage.open()
            try await store.put(5)
            try await store.settle(as: .ann, store.take(as: .ann, tokens: 9).map { try $0.settlement() })
            let page = try await store.outcomes(.all, after: nil, limit: 9)
            #expect(page.positions.count == 5 && page.positions.last == page.position)
            for (index, position) in page.positions.enumerated() {
                let rest = try await store.outcomes(.all, after: position, limit: 9, marking: false).outcomes
                #expect(rest == Array(page.outcomes.dropFirst(index + 1)))
            }
        },
        QueueStoreClause("Outcomes are read in their order, from where the reader was.") { stage in
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
        QueueStoreClause("An empty page keeps the position.") { stage in
            let store = try await stage.open()
            try await store.put()
            try await store.settle(as: .ann, [store.takeOne(as: .ann).settlement()])
            let position = try await store.outcomes(.all, after: nil, limit: 9).position
            #expect(position != nil)
            let none = try await store.outcomes(.all, after: position, limit: 9)
            #expect(none.outcomes.isEmpty)
            #expect(try await store.outcomes(.all, after: none.position, limit: 9).outcomes.isEmpty)
        },
        QueueStoreClause("A position that the queue never gave out is refused as invalid.") { stage in
            let store = try await stage.open()
            try await store.settleNew(3)
            for position in ["", "x", "-1", "1-x", "1.x", "1-1/x", " 1"] {
                let code = await code { _ = try await store.outcomes(.all, after: position, limit: 9) }
                #expect(code == .invalidEntry, "\(position)")
            }
        },
        QueueStoreClause("A limit below 1 counts as 1.") { stage in
            let store = try await stage.open()
            for limit in [0, -1, Int.min] {
                try await store.settleNew(2)
                #expect(try await store.outcomes(.all, after: nil, limit: limit).outcomes.count == 1)
                let letters = try await store.enqueueDead(2)
                #expect(try await store.deadLetters(limit: limit).map(\.key) == [letters[0]])
                _ = try await store.discard(letters)
                try await store.enqueue([sampleEntry(), sampleEntry()])
                _ = try await store.take(as: .ann, tokens: 2)
                let counter = try await store.beat(as: .bob)[.ann] ?? 0
                let over = try await store.reclaim(from: .ann, at: counter, as: .bob, limit: limit)
                #expect(over.count == 1)
                #expect(try await store.reclaim(from: .ann, at: counter, as: .bob, limit: 9).count == 1)
                let rest = try await store.recover(as: .bob, besides: [])
                try await store.settle(as: .bob, rest.map { try $0.settlement() })
            }
        },
        QueueStoreClause("A take without room for a token takes one entry.") { stage in
            let store = try await stage.open()
            for tokens in [0, -1, Int.min] {
                try await store.enqueue([sampleEntry(3), sampleEntry(3)])
                let first = try await store.take(as: .ann, tokens: tokens)
                let rest = try await store.take(as: .ann, tokens: 9)
                #expect(first.count == 1 && rest.count == 1)
                try await store.settle(as: .ann, (first + rest).map { try $0.settlement() })
            }
        },
        QueueStoreClause("After the last position come only later outcomes.") { stage in
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
        QueueStoreClause("Outcomes that were read without marking them count as cut.") { stage in
            let (cut, unread) = try await stage.cutOutcomes(afterReading: 20, marking: false)
            #expect(unread == cut)
        },
        QueueStoreClause("Outcomes that were read and marked do not count as cut.") { stage in
            let (cut, unread) = try await stage.cutOutcomes(afterReading: 20, marking: true)
            #expect(unread == max(0, cut - 20))
        },
        QueueStoreClause("A position ahead of all outcomes counts as the beginning, and marks none of them.") { stage in
            let store = try await stage.open(maxOutcomes: 20)
            let rows = try await store.settleNew(20)
            var pages: [OutcomePage] = []
            // Each store knows one of these as a position.
            for position in ["999999", "999999999999.0", "99999999999999-0"] {
                let code = await code {
                    pages.append(try await store.outcomes(.all, after: position, limit: 5))
                }
                #expect(code == nil || code == .invalidEntry)
            }
            #expect(pages.count == 1 && pages.first?.outcomes == Array(rows[..<5]))
            let next = try await store.outcomes(.all, after: pages.first?.position, limit: 5, marking: false)
            #expect(next.outcomes == Array(rows[5..<10]))
            let (cut, unread) = try await store.cutOutcomes(20)
            #expect(unread >= cut - 5)
        },
        QueueStoreClause("Feedback has only tokens that must not be used any more.") { stage in
            let store = try await stage.open()
            try await store.put(3)
            let taken = try await store.takeOne(as: .ann)
            let gone = try taken.row(1, .rejected)
            try await store.settle(
                as: .ann, [Settlement(taken.key, rows: [taken.row(0), gone, taken.row(2)], fate: .done)])
            #expect(try await store.allOutcomes(.feedback) == [gone])
            #expect(try await store.allOutcomes().count == 3)
            #expect(try await store.status().outcomes == 3)
        },
    ]
}

extension PushQueueStore {
    /// Makes this many dead letters, and returns their keys.
    fileprivate func enqueueDead(_ count: Int) async throws -> [DeadLetter.Key] {
        try await enqueue((0..<count).map { _ in try sampleEntry() })
        let taken = try await take(as: .ann, tokens: count)
        try await settle(as: .ann, taken.map { Settlement($0.key, rows: [], fate: .dead("test")) })
        return try await deadLetters(limit: 100).map(\.key)
    }

    /// Stores more outcomes than these until some are cut.
    ///
    /// - Returns: How many were cut, and how many of them count as unread.
    fileprivate func cutOutcomes(_ count: Int) async throws -> (cut: Int, unread: Int) {
        var (stored, status) = (count, try await status())
        // A store may keep some more than its limit.
        while status.outcomes == stored, stored < 1_000 {
            stored += try await settleNew(5).count
            status = try await self.status()
        }
        #expect(stored > status.outcomes)
        return (stored - status.outcomes, status.outcomesCut)
    }
}

extension QueueStoreStage {
    /// Reads all outcomes, and stores more until some are cut.
    ///
    /// - Returns: How many were cut, and how many of them count as unread.
    fileprivate func cutOutcomes(afterReading count: Int, marking: Bool) async throws -> (cut: Int, unread: Int) {
        let store = try await open(maxOutcomes: count)
        _ = try await store.settleNew(count)
        #expect(try await store.allOutcomes(marking: marking).count == count)
        return try await store.cutOutcomes(count)
    }
}
