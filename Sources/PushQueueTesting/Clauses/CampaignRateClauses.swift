import FoundationEssentials
import PushQueue
import SupervisedPush
import Testing

extension CampaignOrder {
    /// So slow that no test reaches the next token: a thousand seconds for each.
    fileprivate static func slow(burst: Int) -> CampaignOrder { .rate(QueueRate(perSecond: 0.001, burst: burst)) }
}

extension PushQueueStore {
    /// Puts a campaign of entries of these numbers of tokens. Returns their ids.
    fileprivate func put(
        _ counts: [Int], as name: CampaignName, isUrgent: Bool = false, notBefore: Date? = nil
    ) async throws -> [EntryID] {
        let place = try await begin(name, with: CampaignInput(records: name.description, author: "anna on web1"))
        let batch = CampaignBatch(after: place, through: counts.count, isLast: true)
        var entries = try counts.indices.map {
            try sampleEntry(counts[$0], notBefore: notBefore, id: batch.id(ofLine: $0 + 1))
        }
        for index in entries.indices { entries[index].isUrgent = isUrgent }
        try await enqueue(entries, as: batch)
        return entries.map(\.id)
    }

    fileprivate func ids(as worker: WorkerID, tokens: Int = 99) async throws -> [EntryID] {
        try await take(as: worker, tokens: tokens).map(\.id)
    }
}

extension QueueStoreClause {
    private static func spring() throws -> CampaignName { try CampaignName("spring") }
    private static func autumn() throws -> CampaignName { try CampaignName("autumn") }

    static let campaignRates = [
        QueueStoreClause("Of a campaign with a rate, all workers together take its burst, and others pass it.") {
            stage in
            let store = try await stage.open()
            let spring = try await store.put([1, 1, 1, 1], as: spring())
            let order = CampaignOrder.slow(burst: 2)
            #expect(try await store.steer(order, campaign: Self.spring()).rate?.burst == 2)
            let other = try await store.put().id
            let autumn = try await store.put([1, 1], as: autumn())
            #expect(try await store.ids(as: .ann, tokens: 1) == [spring[0]])
            #expect(try await store.ids(as: .bob, tokens: 3) == [spring[1], other, autumn[0]])
            #expect(try await store.ids(as: .eve) == [autumn[1]])
            for worker in [WorkerID.ann, .bob, .eve] { #expect(try await store.ids(as: worker).isEmpty) }
            let standing = try await store.standing(of: "spring")
            #expect(standing.campaign.rate == QueueRate(perSecond: 0.001, burst: 2) && standing.state == .running)
            #expect(standing.places.waiting == 2 && standing.places.taken == 2 && standing.places.open == 4)
            let status = try await store.status()
            #expect(status.waiting == 2 && status.delayed == 0 && status.taken == 5 && status.oldest != nil)
        },
        QueueStoreClause("Without the rate, all comes back in its order, before what was put later.") { stage in
            let store = try await stage.open()
            let spring = try await store.put([1, 1, 1, 1, 1], as: spring())
            try await store.steer(.slow(burst: 1), campaign: Self.spring())
            #expect(try await store.ids(as: .ann) == [spring[0]])
            let others = [try await store.put().id, try await store.put().id]
            #expect(try await store.ids(as: .ann, tokens: 1) == [others[0]])
            #expect(try await store.steer(.rate(nil), campaign: Self.spring()).rate == nil)
            #expect(try await store.ids(as: .bob, tokens: 2) == Array(spring[1...2]))
            #expect(try await store.ids(as: .eve) == spring[3...] + [others[1]])
            #expect(try await store.ids(as: .eve).isEmpty)
            // The next rate begins with a burst.
            try await store.steer(.slow(burst: 1), campaign: Self.spring())
            #expect(try await store.status().waiting == 0)
        },
        QueueStoreClause("Once time has passed, as much is taken as the rate permits.") { stage in
            let store = try await stage.open()
            let spring = try await store.put([1, 1, 1, 1, 1], as: spring())
            try await store.steer(.slow(burst: 2), campaign: Self.spring())
            #expect(try await store.ids(as: .ann) == Array(spring[..<2]))
            #expect(try await store.ids(as: .ann).isEmpty)
            try await store.steer(.rate(QueueRate(perSecond: 1_000, burst: 2)), campaign: Self.spring())
            try await stage.passDelay()
            #expect(try await store.ids(as: .ann) == Array(spring[2..<4]))
            try await stage.passDelay()
            #expect(try await store.ids(as: .bob) == [spring[4]])
        },
        QueueStoreClause("A worker is woken when the rate of a campaign ends.") { stage in
            let store = try await stage.open()
            let spring = try await store.put([1, 1], as: spring())
            try await store.steer(.slow(burst: 1), campaign: Self.spring())
            #expect(try await store.ids(as: .ann) == [spring[0]])
            #expect(try await store.ids(as: .ann).isEmpty)
            async let wait: Void = store.wait(as: .ann, upTo: .seconds(60))
            try await store.steer(.rate(nil), campaign: Self.spring())
            try await wait
            #expect(try await store.ids(as: .ann) == [spring[1]])
        },
        QueueStoreClause("An entry with more tokens than the rate permits now is taken, and charged as a whole.") {
            stage in
            let store = try await stage.open()
            let spring = try await store.put([1, large, 1], as: spring())
            try await store.steer(.slow(burst: 2), campaign: Self.spring())
            #expect(try await store.ids(as: .ann, tokens: 9_999) == Array(spring[..<2]))
            #expect(try await store.ids(as: .bob, tokens: 9_999).isEmpty)
        },
        QueueStoreClause("A paused campaign with a rate waits for both.") { stage in
            let store = try await stage.open()
            let spring = try await store.put([1, 1, 1, 1], as: spring())
            try await store.steer(.slow(burst: 2), campaign: Self.spring())
            #expect(try await store.ids(as: .ann, tokens: 1) == [spring[0]])
            try await store.steer(.pause, campaign: Self.spring())
            #expect(try await store.ids(as: .bob).isEmpty)
            try await store.steer(.resume, campaign: Self.spring())
            #expect(try await store.ids(as: .bob) == [spring[1]])
            #expect(try await store.ids(as: .bob).isEmpty)
            try await store.steer(.pause, campaign: Self.spring())
            try await store.steer(.rate(nil), campaign: Self.spring())
            #expect(try await store.ids(as: .bob).isEmpty)
            #expect(try await store.standing(of: "spring").places.waiting == 2)
            try await store.steer(.resume, campaign: Self.spring())
            #expect(try await store.ids(as: .eve) == Array(spring[2...]))
        },
        QueueStoreClause("A rate that a paused campaign gets counts once it goes on.") { stage in
            let store = try await stage.open()
            let spring = try await store.put([1, 1, 1], as: spring())
            try await store.steer(.pause, campaign: Self.spring())
            try await store.steer(.slow(burst: 1), campaign: Self.spring())
            #expect(try await store.ids(as: .ann).isEmpty)
            try await store.steer(.resume, campaign: Self.spring())
            #expect(try await store.ids(as: .ann) == [spring[0]])
            #expect(try await store.ids(as: .bob).isEmpty)
            #expect(try await store.standing(of: "spring").places.waiting == 2)
        },
        QueueStoreClause("What waits for a rate is cancelled and found like what waits otherwise.") { stage in
            let store = try await stage.open()
            let spring = try await store.put([1, 2, 3], as: spring())
            try await store.steer(.slow(burst: 1), campaign: Self.spring())
            #expect(try await store.ids(as: .ann) == [spring[0]])
            #expect(try await store.ids(as: .bob).isEmpty)
            #expect(try await store.cancel([spring[1]]).removed == [spring[1]])
            #expect(try await store.standing(of: "spring").places.waiting == 3)
            let cancelled = try await store.steer(.cancel, campaign: Self.spring())
            #expect(cancelled.hold == .cancelled && cancelled.rate == nil)
            let standing = try await store.standing(of: "spring")
            #expect(standing.outcomes.cancelled == 5 && standing.places.open == 1)
            #expect(try await store.ids(as: .bob).isEmpty)
            #expect(try await store.status().waiting == 0)
            #expect(await code { try await store.steer(.slow(burst: 1), campaign: Self.spring()) } == .refused)
            #expect(await code { try await store.steer(.slow(burst: 1), campaign: autumn()) } == .refused)
        },
        QueueStoreClause("The urgent entries of a campaign with a rate keep it, and their lane.") { stage in
            let store = try await stage.open()
            let others = [try await store.put().id, try await store.put().id]
            let spring = try await store.put([1, 1, 1], as: spring(), isUrgent: true)
            try await store.steer(.slow(burst: 1), campaign: Self.spring())
            #expect(try await store.ids(as: .ann, tokens: 2) == [spring[0], others[0]])
            #expect(try await store.status().urgent == 2)
            try await store.steer(.rate(nil), campaign: Self.spring())
            #expect(try await store.ids(as: .ann) == spring[1...] + [others[1]])
        },
        QueueStoreClause("What comes back to a campaign with a rate, or is put into it, keeps the rate.") { stage in
            let store = try await stage.open()
            let place = try await store.begin(spring(), with: CampaignInput(records: "aa", author: "anna"))
            let batch = CampaignBatch(after: place, through: 2, isLast: false)
            try await store.enqueue(
                [sampleEntry(id: batch.id(ofLine: 1)), sampleEntry(id: batch.id(ofLine: 2))], as: batch)
            let taken = try await store.take(as: .ann, tokens: 2)
            try await store.steer(.slow(burst: 1), campaign: spring())
            try await store.release(as: .ann, [try #require(taken.first).key])
            let again = Settlement.Fate.again(notBefore: Date(timeIntervalSince1970: 0), retries: 1)
            try await store.settle(
                as: .ann, [Settlement(try #require(taken.last).key, rows: [], fate: again, campaign: spring())])
            let next = CampaignBatch(after: batch.end, through: 3, isLast: true)
            try await store.enqueue([sampleEntry(id: next.id(ofLine: 3))], as: next)
            #expect(try await store.ids(as: .bob).count == 1)
            for _ in 0..<2 { #expect(try await store.ids(as: .bob).isEmpty) }
            #expect(try await store.standing(of: "spring").places.waiting == 2)
            try await store.steer(.rate(nil), campaign: spring())
            #expect(try await store.ids(as: .eve).count == 2)
        },
        QueueStoreClause("A rate gives no priority: what was put first is taken first.") { stage in
            let store = try await stage.open()
            let others = [try await store.put().id, try await store.put().id]
            let spring = try await store.put([1, 1, 1], as: spring())
            try await store.steer(.rate(QueueRate(perSecond: 1_000_000)), campaign: Self.spring())
            let last = try await store.put().id
            #expect(try await store.ids(as: .ann, tokens: 3) == others + [spring[0]])
            #expect(try await store.ids(as: .ann) == spring[1...] + [last])
        },
        QueueStoreClause("Both lanes of a campaign share its rate, and keep their shares of it.") { stage in
            let store = try await stage.open()
            let place = try await store.begin(spring(), with: CampaignInput(records: "aa", author: "anna"))
            let batch = CampaignBatch(after: place, through: 40, isLast: true)
            var entries = try (1...40).map { try sampleEntry(id: batch.id(ofLine: $0)) }
            for index in 0..<20 { entries[index].isUrgent = true }
            try await store.enqueue(entries, as: batch)
            try await store.steer(.slow(burst: 8), campaign: spring())
            let taken = try await store.ids(as: .ann, tokens: 30)
            #expect(taken == entries[..<7].map(\.id) + [entries[20].id])
            #expect(try await store.ids(as: .ann, tokens: 30).isEmpty)
        },
        QueueStoreClause("What a dead worker had of a campaign with a rate is taken over at once, and was paid for.") {
            stage in
            let store = try await stage.open()
            let spring = try await store.put([1, 1, 1], as: spring())
            try await store.steer(.slow(burst: 2), campaign: Self.spring())
            #expect(try await store.ids(as: .ann, tokens: 1) == [spring[0]])
            #expect(try await store.reclaimAll(from: .ann, as: .bob).map(\.id) == [spring[0]])
            #expect(try await store.ids(as: .bob) == [spring[1]])
            #expect(try await store.ids(as: .bob).isEmpty)
            #expect(Set(try await store.status().workers.keys) == [.bob])
        },
    ]
}
