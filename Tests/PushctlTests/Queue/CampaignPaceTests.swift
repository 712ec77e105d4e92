import PushQueue
import SupervisedPush
import Testing

@testable import pushctl

@Suite("parity: F23 – how fast a campaign goes") struct CampaignPaceTests {
    /// A campaign of 1,000 tokens, of which so many have ended.
    private func standing(_ ended: Int) async throws -> CampaignStanding {
        let queue = MemoryQueue()
        let name = try CampaignName("spring")
        let place = try await queue.begin(name, with: CampaignInput(records: "aa", author: "anna"))
        let tokens = try (0..<1_000).map { try DeviceTokenSample.token($0) }
        let batch = CampaignBatch(after: place, through: 1, isLast: true)
        try await queue.enqueue(
            [QueueEntry(.alert(title: "A", body: "B"), to: tokens, id: batch.id(ofLine: 1))], as: batch)
        let worker = WorkerID("test")
        let taken = try #require(try await queue.take(as: worker, tokens: 1_000).first)
        let rows = (0..<ended).map {
            QueueOutcome(entry: batch.id(ofLine: 1), index: $0, token: tokens[$0], .init(.delivered))
        }
        try await queue.settle(
            as: worker, [Settlement(taken.key, rows: rows, fate: ended == 1_000 ? .done : .open, campaign: name)])
        return try #require(try await queue.campaigns().first)
    }

    @Test func theTimeToGoFollowsFromWhatEndedBetweenTwoLooks() async throws {
        let pace = try await CampaignPace(from: [standing(100)], to: standing(300), in: .seconds(2))
        #expect(pace.perSecond == 100 && pace.left == 7)
        #expect(pace.text == "; 100/s, 7 s to go", "\(pace.text)")
    }

    @Test func whereNothingEndsThereIsNoTimeToGo() async throws {
        let pace = try await CampaignPace(from: [standing(300)], to: standing(300), in: .seconds(2))
        #expect(pace.left == nil && pace.text == "; 0/s")
    }

    @Test func whatIsOverHasNoPace() async throws {
        let pace = try await CampaignPace(from: [standing(900)], to: standing(1_000), in: .seconds(1))
        #expect(pace.left == 0 && pace.text == "")
    }
}

private enum DeviceTokenSample {
    static func token(_ number: Int) throws -> DeviceToken { try DeviceToken(String(0x1000_0000 + number, radix: 16)) }
}
