import FoundationEssentials
import PushQueue
import SupervisedPush
import Testing

extension QueueStoreClause {
    /// Which outcomes are kept, and which can be read.
    static let keeping = [
        QueueStoreClause("An outcome that cannot be read hides no other, and is reported by its position.") { stage in
            let store = try await stage.open()
            guard let storeUnreadable = stage.storeUnreadable else { return }
            var rows = try await store.settleNew(3)
            try await storeUnreadable(store)
            rows += try await store.settleNew(3)
            let page = try await store.outcomes(.all, after: nil, limit: 9)
            #expect(page.outcomes == rows && page.unreadable.count == 1 && !page.isEmpty)
            // What follows the reported position is what follows the row.
            let rest = try await store.outcomes(.all, after: page.unreadable.first, limit: 9)
            #expect(rest.outcomes == Array(rows[3...]) && rest.unreadable.isEmpty)
            #expect(try await store.outcomes(.all, after: page.position, limit: 9).isEmpty)
            // Also page by page.
            var (read, unreadable, position) = ([QueueOutcome](), [String](), String?.none)
            for _ in 0..<7 {
                let page = try await store.outcomes(.all, after: position, limit: 1)
                #expect(page.outcomes.count + page.unreadable.count == 1)
                (read, unreadable) = (read + page.outcomes, unreadable + page.unreadable)
                position = page.position
            }
            #expect(read == rows && unreadable == page.unreadable)
            #expect(try await store.outcomes(.all, after: position, limit: 1).isEmpty)
        },
        QueueStoreClause("A page counts as read when its reader asks for what follows it.") { stage in
            let store = try await stage.open()
            _ = try await store.settleNew(4)
            let page = try await store.outcomes(.all, after: nil, limit: 9)
            #expect(try await store.trimAll(.before(stage.now() + 60)) == 0)
            _ = try await store.outcomes(.all, after: page.position, limit: 9, marking: false)
            #expect(try await store.trimAll(.before(stage.now() + 60)) == 0)
            _ = try await store.outcomes(.all, after: page.position, limit: 9)
            #expect(try await store.trimAll(.before(stage.now() + 60)) == 4)
        },
        QueueStoreClause("The number of outcomes that a queue keeps is stored, and holds for all who use it.") {
            stage in
            let store = try await stage.open(maxOutcomes: 10)
            try await store.limitOutcomes(to: 60)
            #expect(try await store.status().maxOutcomes == 60)
            for _ in 0..<10 { _ = try await store.settleNew(5) }
            var status = try await store.status()
            #expect(status.outcomes == 50 && status.outcomesCut == 0)
            try await store.limitOutcomes(to: 20)
            _ = try await store.settleNew(5)
            status = try await store.status()
            // A store may keep half as many more.
            #expect((20...30).contains(status.outcomes) && status.outcomesCut == 55 - status.outcomes)
        },
        QueueStoreClause("Read outcomes are removed before unread ones.") { stage in
            let store = try await stage.open(maxOutcomes: 40)
            _ = try await store.settleNew(30)
            let page = try await store.outcomes(.all, after: nil, limit: 30)
            _ = try await store.outcomes(.all, after: page.position, limit: 1)
            var unread: [QueueOutcome] = []
            for _ in 0..<8 { unread += try await store.settleNew(5) }
            let status = try await store.status()
            #expect(status.outcomesCut == 0 && status.outcomes < 70)
            #expect(try await store.outcomes(.all, after: page.position, limit: 100).outcomes == unread)
        },
        QueueStoreClause("What was read is removed up to a position, and what was not read stays.") { stage in
            let store = try await stage.open()
            var rows: [QueueOutcome] = []
            for _ in 0..<10 { rows += try await store.settleNew(1) }
            let first = try await store.outcomes(.all, after: nil, limit: 4)
            let next = try await store.outcomes(.all, after: first.position, limit: 4)
            let position = try #require(next.position)
            // Four count as read.
            #expect(try await store.trimAll(.upTo(position: position)) == 4)
            #expect(try await store.trimAll(.upTo(position: position)) == 0)
            _ = try await store.outcomes(.all, after: position, limit: 4)
            #expect(try await store.trimAll(.upTo(position: first.position ?? "")) == 0)
            #expect(try await store.trimAll(.upTo(position: position)) == 4)
            let status = try await store.status()
            #expect(status.outcomes == 2 && status.outcomesCut == 0)
            #expect(try await store.allOutcomes() == Array(rows[8...]))
            // The reader of before goes on behind what it has.
            #expect(try await store.outcomes(.all, after: position, limit: 9).outcomes == Array(rows[8...]))
        },
        QueueStoreClause("What was read is removed by its age.") { stage in
            let store = try await stage.open()
            _ = try await store.settleNew(3)
            try await stage.passDelay()
            let time = stage.now()
            try await stage.passDelay()
            let later = try await store.settleNew(3)
            _ = try await store.allOutcomes()
            #expect(try await store.trimAll(.before(time - 60)) == 0)
            #expect(try await store.trimAll(.before(time)) == 3)
            #expect(try await store.allOutcomes() == later)
        },
        QueueStoreClause("A list is trimmed to its end, and goes on behind it.") { stage in
            let store = try await stage.open()
            _ = try await store.settleNew(600)
            _ = try await store.settleNew(3, .rejected)
            _ = try await store.allOutcomes()
            #expect(try await store.trimAll(.before(stage.now() + 60)) == 603)
            #expect(try await store.status().outcomes == 0)
            // The other list is another matter.
            #expect(try await store.allOutcomes(.feedback).count == 3)
            let position = try #require(try await store.lastPosition(of: .all))
            let rows = try await store.settleNew(2)
            #expect(try await store.outcomes(.all, after: position, limit: 9).outcomes == rows)
        },
        QueueStoreClause("Nothing is trimmed up to a position that the queue never gave out.") { stage in
            let store = try await stage.open()
            _ = try await store.settleNew(3)
            for position in ["", "x", "-1", "1-x", "1.x"] {
                let code = await code { _ = try await store.trim(.all, .upTo(position: position)) }
                #expect(code == .invalidEntry, "\(position)")
            }
        },
    ]
}

extension PushQueueStore {
    /// Removes what was read within a bound, to the end.
    fileprivate func trimAll(_ bound: OutcomeBound) async throws -> Int {
        var removed = 0
        while true {
            let count = try await trim(.all, bound)
            if count == 0 { return removed }
            removed += count
        }
    }
}
