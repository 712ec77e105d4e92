import FoundationEssentials
import PushQueue
import SupervisedPush
import Testing

extension QueueStoreClause {
    private static func input(_ records: String = "aa", redo: String? = nil) -> CampaignInput {
        CampaignInput(records: records, redo: redo, author: "anna on web1")
    }

    private static func spring() throws -> CampaignName { try CampaignName("spring") }

    /// Entries of one token, for the lines behind a place.
    private static func entries(_ batch: CampaignBatch) throws -> [QueueEntry] {
        guard batch.through > batch.place.line else { return [] }
        return try (batch.place.line + 1...batch.through).map { try sampleEntry(id: batch.id(ofLine: $0)) }
    }

    static let campaigns = [
        QueueStoreClause("A campaign that is put again adds nothing, whatever became of its entries.") { stage in
            let store = try await stage.open()
            let place = try await store.begin(spring(), with: input())
            #expect(place == CampaignPlace(try spring(), round: 0, line: 0, isWhole: false))
            let batch = CampaignBatch(after: place, through: 3, isLast: true)
            for _ in 0..<2 { try await store.enqueue(entries(batch), as: batch) }
            let taken = try await store.take(as: .ann, tokens: 9)
            #expect(taken.map(\.id) == (1...3).map { batch.id(ofLine: $0) })
            #expect(try taken.allSatisfy { try $0.entry.get().campaign == spring() })
            try await store.settle(as: .ann, taken.map { try $0.settlement() })
            try await stage.pass(.seconds(0.1))
            #expect(try await store.begin(spring(), with: input()) == batch.end)
            try await store.enqueue(entries(batch), as: batch)
            #expect(try await store.status().waiting == 0)
        },
        QueueStoreClause("A campaign that was put in part goes on behind the last batch.") { stage in
            let store = try await stage.open()
            let place = try await store.begin(spring(), with: input())
            let first = CampaignBatch(after: place, through: 2, isLast: false)
            try await store.enqueue(entries(first), as: first)
            let next = try await store.begin(spring(), with: input())
            #expect(next == first.end && next.line == 2 && !next.isWhole)
            // Lines without a record that can be pushed belong to it, too.
            let second = CampaignBatch(after: next, through: 7, isLast: false)
            try await store.enqueue([], as: second)
            let last = CampaignBatch(after: second.end, through: 7, isLast: true)
            for _ in 0..<2 { try await store.enqueue([], as: last) }
            #expect(try await store.begin(spring(), with: input()) == last.end)
            #expect(try await store.status().waiting == 2)
        },
        QueueStoreClause("Another file under the name of a campaign is refused, and changes nothing.") { stage in
            let store = try await stage.open()
            let place = try await store.begin(spring(), with: input())
            #expect(await code { _ = try await store.begin(spring(), with: input("bb")) } == .refused)
            #expect(try await store.begin(spring(), with: input()) == place)
            _ = try await store.begin(CampaignName("autumn"), with: input("bb"))
            #expect(Set(try await store.campaigns().map(\.campaign.records)) == ["aa", "bb"])
        },
        QueueStoreClause("A redo has ids of its own, and is known when it is put again.") { stage in
            let store = try await stage.open()
            let place = try await store.begin(spring(), with: input())
            let batch = CampaignBatch(after: place, through: 2, isLast: true)
            try await store.enqueue(entries(batch), as: batch)
            let again = try await store.begin(spring(), with: input(redo: "r1"))
            #expect(again.round == 1 && again.line == 0 && !again.isWhole)
            let redo = CampaignBatch(after: again, through: 2, isLast: true)
            for _ in 0..<2 { try await store.enqueue(entries(redo), as: redo) }
            #expect(try await store.begin(spring(), with: input(redo: "r1")) == redo.end)
            #expect(try await store.begin(spring(), with: input(redo: "r2")).round == 2)
            #expect(try await store.begin(spring(), with: input()) == batch.end)
            let ids = try await store.take(as: .ann, tokens: 9).map(\.id)
            #expect(ids.count == 4 && Set(ids).count == 4)
        },
        QueueStoreClause("A redo of a campaign that was never put is refused.") { stage in
            let store = try await stage.open()
            #expect(await code { _ = try await store.begin(spring(), with: input(redo: "r1")) } == .refused)
            #expect(try await store.campaigns().isEmpty)
        },
        QueueStoreClause("A batch of an unknown campaign, and one that another has put in part, are refused.") {
            stage in
            let store = try await stage.open()
            let start = CampaignPlace(try spring(), round: 0, line: 0, isWhole: false)
            let early = CampaignBatch(after: start, through: 2, isLast: false)
            #expect(await code { try await store.enqueue(entries(early), as: early) } == .refused)
            _ = try await store.begin(spring(), with: input())
            try await store.enqueue(entries(early), as: early)
            let other = CampaignBatch(after: start, through: 5, isLast: false)
            #expect(await code { try await store.enqueue(entries(other), as: other) } == .refused)
            #expect(try await store.status().waiting == 2)
        },
        QueueStoreClause("A full queue takes a batch of a campaign as a whole or not at all.") { stage in
            let store = try await stage.open(maxEntries: 2)
            let place = try await store.begin(spring(), with: input())
            let batch = CampaignBatch(after: place, through: 3, isLast: true)
            #expect(await code { try await store.enqueue(entries(batch), as: batch) } == .full)
            #expect(try await store.begin(spring(), with: input()) == place)
            #expect(try await store.status().waiting == 0)
        },
        QueueStoreClause("What was put, by whom and of which file is kept with a campaign.") { stage in
            let store = try await stage.open()
            let place = try await store.begin(spring(), with: input())
            let batch = CampaignBatch(after: place, through: 3, isLast: true)
            try await store.enqueue(entries(batch), as: batch)
            let kept = try #require(try await store.campaigns().first?.campaign)
            #expect(kept.name.description == "spring" && kept.records == "aa" && kept.author == "anna on web1")
            #expect(kept.tokens == 3 && kept.entries == 3 && kept.isWhole)
            #expect(abs(kept.begun.timeIntervalSince(stage.now())) < 600)
        },
        QueueStoreClause("A campaign's tokens are counted where they are, from the producer to their outcomes.") {
            stage in
            let store = try await stage.open()
            let place = try await store.begin(spring(), with: input())
            let batch = CampaignBatch(after: place, through: 3, isLast: true)
            let now = try [sampleEntry(4, id: batch.id(ofLine: 1)), sampleEntry(2, id: batch.id(ofLine: 2))]
            let later = try sampleEntry(5, notBefore: stage.now() + 60, id: batch.id(ofLine: 3))
            // One of another producer is not counted.
            try await store.put(7)
            try await store.enqueue(now + [later], as: batch)
            var standing = try await store.standing(spring())
            #expect(standing.places == places(waiting: 6, scheduled: 5) && standing.outcomes.count == 0)
            _ = try await store.take(as: .eve, tokens: 7)
            let taken = try await store.take(as: .ann, tokens: 4)
            #expect(try await store.standing(spring()).places == places(waiting: 2, scheduled: 5, taken: 4))
            let first = try #require(taken.first)
            let rows = [try first.row(0), try first.row(2, .rejected)]
            for _ in 0..<2 {
                try await store.settle(
                    as: .ann, [Settlement(first.key, rows: rows, fate: .open, campaign: try spring())])
            }
            standing = try await store.standing(spring())
            #expect(standing.places == places(waiting: 2, scheduled: 5, taken: 2))
            #expect(standing.outcomes.delivered == 1 && standing.outcomes.rejected == ["Unregistered": 1])
            // One of these is known already.
            let more = [try first.row(0), try first.row(1, .failed)]
            let again = Settlement.Fate.again(notBefore: stage.now() + 60, retries: 1)
            try await store.settle(as: .ann, [Settlement(first.key, rows: more, fate: again, campaign: try spring())])
            standing = try await store.standing(spring())
            #expect(standing.places == places(waiting: 2, scheduled: 5, retrying: 1))
            #expect(standing.outcomes.delivered == 1 && standing.outcomes.failed == 1 && standing.outcomes.count == 3)
            #expect(standing.state == .running)
        },
        QueueStoreClause("A campaign is done once all of it was put, and each token has an outcome.") { stage in
            let store = try await stage.open()
            let place = try await store.begin(spring(), with: input())
            let batch = CampaignBatch(after: place, through: 2, isLast: false)
            try await store.enqueue(entries(batch), as: batch)
            try await store.settle(
                as: .ann,
                store.take(as: .ann, tokens: 9).map {
                    try $0.settlement($0.id == batch.id(ofLine: 1) ? .unknown : .delivered)
                })
            #expect(try await store.standing(spring()).state == .running)
            let last = CampaignBatch(after: batch.end, through: 2, isLast: true)
            try await store.enqueue([], as: last)
            let standing = try await store.standing(spring())
            #expect(standing.state == .done && standing.places.open == 0)
            #expect(standing.outcomes.delivered == 1 && standing.outcomes.unknown == 1)
        },
        QueueStoreClause("A released entry of a campaign waits, and a dead worker's is taken.") { stage in
            let store = try await stage.open()
            let place = try await store.begin(spring(), with: input())
            let batch = CampaignBatch(after: place, through: 2, isLast: true)
            try await store.enqueue(entries(batch), as: batch)
            let taken = try await store.take(as: .ann, tokens: 2)
            try await store.release(as: .ann, [try #require(taken.first).key])
            #expect(try await store.standing(spring()).places == places(waiting: 1, taken: 1))
            _ = try await store.reclaimAll(from: .ann, as: .bob)
            #expect(try await store.standing(spring()).places == places(waiting: 1, taken: 1))
            _ = try await store.cancel([batch.id(ofLine: 1)])
            #expect(try await store.standing(spring()).places == places(taken: 1))
        },
    ]

    private static func places(
        waiting: Int = 0, scheduled: Int = 0, retrying: Int = 0, taken: Int = 0
    ) -> CampaignPlaces {
        var places = CampaignPlaces()
        (places.waiting, places.scheduled, places.retrying, places.taken) = (waiting, scheduled, retrying, taken)
        return places
    }
}

extension PushQueueStore {
    fileprivate func standing(_ name: CampaignName) async throws -> CampaignStanding {
        try #require(try await campaigns().first { $0.campaign.name == name })
    }
}
