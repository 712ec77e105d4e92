import FoundationEssentials
import PushQueue
import SupervisedPush
import Testing

extension QueueStoreClause {
    private static func spring() throws -> CampaignName { try CampaignName("spring") }

    /// Puts a campaign of entries of these numbers of tokens.
    private static func put(
        _ counts: [Int], _ store: any PushQueueStore, notBefore: Date? = nil, name: String = "spring"
    ) async throws -> CampaignBatch {
        let place = try await store.begin(
            CampaignName(name), with: CampaignInput(records: name, author: "anna on web1"))
        let batch = CampaignBatch(after: place, through: counts.count, isLast: true)
        let entries = try counts.indices.map {
            try sampleEntry(counts[$0], notBefore: notBefore, id: batch.id(ofLine: $0 + 1))
        }
        try await store.enqueue(entries, as: batch)
        return batch
    }

    static let holds = [
        QueueStoreClause("Nothing of a paused campaign is taken, and nothing else waits for it.") { stage in
            let store = try await stage.open()
            let batch = try await put([2, 3], store)
            let other = try await store.put()
            #expect(try await store.steer(.pause, campaign: spring()).hold == .paused)
            #expect(try await store.take(as: .ann, tokens: 99).map(\.id) == [other.id])
            #expect(try await store.take(as: .bob, tokens: 99).isEmpty)
            let standing = try await store.standing(of: "spring")
            #expect(standing.state == .paused && standing.places.waiting == 5 && standing.places.open == 5)
            try await store.steer(.resume, campaign: spring())
            let taken = try await store.take(as: .bob, tokens: 99)
            #expect(taken.map(\.id) == [batch.id(ofLine: 1), batch.id(ofLine: 2)])
        },
        QueueStoreClause("What comes back to a paused campaign, or is put into it, waits, too.") { stage in
            let store = try await stage.open()
            let place = try await store.begin(spring(), with: CampaignInput(records: "aa", author: "anna"))
            let batch = CampaignBatch(after: place, through: 2, isLast: false)
            try await store.enqueue(
                [sampleEntry(id: batch.id(ofLine: 1)), sampleEntry(id: batch.id(ofLine: 2))], as: batch)
            let taken = try await store.take(as: .ann, tokens: 2)
            try await store.steer(.pause, campaign: spring())
            try await store.release(as: .ann, [try #require(taken.first).key])
            let again = Settlement.Fate.again(notBefore: Date(timeIntervalSince1970: 0), retries: 1)
            try await store.settle(
                as: .ann, [Settlement(try #require(taken.last).key, rows: [], fate: again, campaign: spring())])
            let next = CampaignBatch(after: batch.end, through: 3, isLast: true)
            try await store.enqueue([sampleEntry(id: next.id(ofLine: 3))], as: next)
            for _ in 0..<2 { #expect(try await store.take(as: .bob, tokens: 99).isEmpty) }
            #expect(try await store.standing(of: "spring").places.waiting == 3)
            try await store.steer(.resume, campaign: spring())
            let all = try await store.take(as: .bob, tokens: 99)
            #expect(Set(all.map(\.id)) == Set((1...3).map { batch.id(ofLine: $0) }))
            #expect(all.first { $0.id == batch.id(ofLine: 2) }?.retries == 1)
        },
        QueueStoreClause("A worker is woken when a campaign goes on.") { stage in
            let store = try await stage.open()
            _ = try await put([1], store)
            try await store.steer(.pause, campaign: spring())
            #expect(try await store.take(as: .ann, tokens: 1).isEmpty)
            async let wait: Void = store.wait(as: .ann, upTo: .seconds(60))
            try await store.steer(.resume, campaign: spring())
            try await wait
            #expect(try await store.take(as: .ann, tokens: 1).count == 1)
        },
        QueueStoreClause("A cancelled campaign loses what waits, without outcomes, and its tokens are counted.") {
            stage in
            let store = try await stage.open()
            let batch = try await put([2, 3, 4], store)
            let later = try await put([5], store, notBefore: stage.now() + 60, name: "autumn")
            let other = try await store.put()
            let taken = try await store.take(as: .ann, tokens: 2)
            #expect(taken.map(\.id) == [batch.id(ofLine: 1)])
            for _ in 0..<2 { #expect(try await store.steer(.cancel, campaign: spring()).hold == .cancelled) }
            var standing = try await store.standing(of: "spring")
            #expect(standing.state == .cancelled && standing.outcomes.cancelled == 7 && standing.outcomes.count == 0)
            #expect(standing.places.taken == 2 && standing.places.open == 2)
            // What a worker has goes out.
            try await store.settle(as: .ann, taken.map { try $0.settlement() })
            standing = try await store.standing(of: "spring")
            #expect(standing.outcomes.delivered == 2 && standing.places.open == 0)
            #expect(try await store.take(as: .ann, tokens: 99).map(\.id) == [other.id])
            try await store.steer(.cancel, campaign: CampaignName("autumn"))
            #expect(try await store.standing(of: "autumn").outcomes.cancelled == 5)
            #expect(try await store.cancel([later.id(ofLine: 1)]).removed.isEmpty)
            let status = try await store.status()
            #expect(status.waiting == 0 && status.delayed == 0)
        },
        QueueStoreClause("What comes back to a cancelled campaign is removed, unless it may have been sent.") { stage in
            let store = try await stage.open()
            let batch = try await put([1, 1, large], store)
            let taken = try await store.take(as: .ann, tokens: 9_999)
            try await store.offer(as: .ann, [taken[2].key: 256])
            let over = try await store.reclaimAll(from: .ann, as: .bob)
            try await store.steer(.cancel, campaign: spring())
            // The first two have one doubt, because a small entry is offered by being taken: a worker ends them.
            try await store.release(as: .bob, over.map(\.key))
            let left = try await store.take(as: .eve, tokens: 9_999)
            #expect(left.count == 3 && left.allSatisfy { $0.hold == .cancelled })
            let again = Settlement.Fate.again(notBefore: Date(timeIntervalSince1970: 0), retries: 1)
            try await store.settle(
                as: .eve,
                [
                    Settlement(
                        try #require(over.first { $0.id == batch.id(ofLine: 1) }).key, rows: [], fate: again,
                        campaign: spring())
                ])
            #expect(try await store.take(as: .eve, tokens: 9_999).isEmpty)
            #expect(try await store.standing(of: "spring").outcomes.cancelled == 1)
        },
        QueueStoreClause("What a dead worker had of a paused campaign waits with its doubts until it goes on.") {
            stage in
            let store = try await stage.open()
            let batch = try await put([2, 3], store)
            let other = try await store.put()
            #expect(try await store.take(as: .ann, tokens: 99).count == 3)
            try await store.steer(.pause, campaign: spring())
            #expect(try await store.reclaimAll(from: .ann, as: .bob).map(\.id) == [other.id])
            #expect(try await store.status().workers[.ann] == nil)
            #expect(try await store.take(as: .bob, tokens: 99).isEmpty)
            #expect(try await store.standing(of: "spring").places.waiting == 5)
            try await store.steer(.resume, campaign: spring())
            let taken = try await store.take(as: .bob, tokens: 99)
            #expect(Set(taken.map(\.id)) == [batch.id(ofLine: 1), batch.id(ofLine: 2)])
            #expect(taken.allSatisfy { $0.doubts == 1 && $0.hold == nil })
        },
        QueueStoreClause("Answers to a worker that was taken for dead count for what a pause has put aside.") { stage in
            let store = try await stage.open()
            _ = try await put([2], store)
            let taken = try #require(try await store.take(as: .ann, tokens: 9).first)
            try await store.steer(.pause, campaign: spring())
            #expect(try await store.reclaimAll(from: .ann, as: .bob).isEmpty)
            let late = Settlement(taken.key, rows: [try taken.row(0)], fate: .open, campaign: try spring())
            for _ in 0..<2 { try await store.settle(as: .ann, [late]) }
            #expect(try await store.standing(of: "spring").outcomes.delivered == 1)
            #expect(try await store.standing(of: "spring").places.waiting == 1)
            try await store.steer(.resume, campaign: spring())
            let again = try #require(try await store.take(as: .bob, tokens: 9).first)
            #expect(again.settled.contains(0) && !again.settled.contains(1) && again.doubts == 1)
            let rest = Settlement(again.key, rows: [try again.row(1)], fate: .done, campaign: try spring())
            try await store.settle(as: .bob, [rest])
            #expect(try await store.standing(of: "spring").state == .done)
        },
        QueueStoreClause("A lost reply tells that a campaign was paused or cancelled meanwhile.") { stage in
            let store = try await stage.open()
            _ = try await put([1], store)
            #expect(try await store.take(as: .ann, tokens: 9).count == 1)
            #expect(try await store.recover(as: .ann, besides: []).map(\.hold) == [nil])
            for order in [CampaignOrder.pause, .cancel] {
                try await store.steer(order, campaign: spring())
                let found = try await store.recover(as: .ann, besides: [])
                #expect(found.map(\.hold) == [order == .pause ? .paused : .cancelled])
            }
        },
        QueueStoreClause("A dead worker that had nothing but a paused campaign's is forgotten.") { stage in
            let store = try await stage.open()
            _ = try await put([1, 1, 1], store)
            #expect(try await store.take(as: .ann, tokens: 99).count == 3)
            try await store.steer(.pause, campaign: spring())
            let counter = try #require(try await store.beat(as: .ann)[.ann])
            #expect(try await store.reclaim(from: .ann, at: counter, as: .bob, limit: 1).isEmpty)
            #expect(try await store.status().workers[.ann] == nil)
            #expect(try await store.standing(of: "spring").places.waiting == 3)
        },
        QueueStoreClause("What a dead worker had of a cancelled campaign is removed, or taken over to end its doubts.")
        {
            stage in
            let store = try await stage.open()
            let batch = try await put([2, large], store)
            let taken = try await store.take(as: .ann, tokens: 9_999)
            try await store.steer(.cancel, campaign: spring())
            let over = try await store.reclaimAll(from: .ann, as: .bob)
            // Nothing of the large one was offered.
            #expect(over.map(\.id) == [batch.id(ofLine: 1)] && over.allSatisfy { $0.hold == .cancelled })
            #expect(try await store.standing(of: "spring").outcomes.cancelled == large)
            let first = try #require(taken.first)
            try await store.settle(
                as: .bob,
                [Settlement(first.key, rows: [first.row(1, .unknown)], fate: .cancelled, campaign: spring())])
            let standing = try await store.standing(of: "spring")
            #expect(standing.outcomes.cancelled == large + 1 && standing.outcomes.unknown == 1)
            #expect(standing.places.open == 0)
            #expect(try await store.take(as: .bob, tokens: 9_999).isEmpty)
        },
        QueueStoreClause("A worker can ask which of the campaigns that it has are held.") { stage in
            let store = try await stage.open()
            for name in ["spring", "autumn", "winter"] { _ = try await put([1], store, name: name) }
            let names = try Set(["spring", "autumn", "summer"].map { try CampaignName($0) })
            #expect(try await store.holds(of: names).isEmpty)
            try await store.steer(.pause, campaign: spring())
            for name in ["autumn", "winter"] { try await store.steer(.cancel, campaign: CampaignName(name)) }
            #expect(try await store.holds(of: names) == [spring(): .paused, CampaignName("autumn"): .cancelled])
            try await store.steer(.resume, campaign: spring())
            #expect(try await store.holds(of: names) == [CampaignName("autumn"): .cancelled])
        },
        QueueStoreClause("A cancelled name stays cancelled.") { stage in
            let store = try await stage.open()
            let batch = try await put([1], store)
            try await store.steer(.cancel, campaign: spring())
            let input = CampaignInput(records: "spring", author: "ben")
            #expect(await code { _ = try await store.begin(spring(), with: input) } == .refused)
            #expect(await code { try await store.enqueue([sampleEntry()], as: batch) } == .refused)
            for order in [CampaignOrder.pause, .resume] {
                #expect(await code { try await store.steer(order, campaign: spring()) } == .refused)
            }
            #expect(await code { try await store.steer(.pause, campaign: CampaignName("autumn")) } == .refused)
        },
    ]
}

extension PushQueueStore {
    func standing(of name: String) async throws -> CampaignStanding {
        try #require(try await campaigns().first { $0.campaign.name.description == name })
    }
}
