import Foundation
import Testing

@testable import PushQueue

/// What a queue keeps of a campaign, and which batches it takes.
@Suite("parity: F23 – whether a batch of a campaign is put") struct QueueCampaignTests {
    private static let input = CampaignInput(records: "aa", author: "anna")
    private static let now = Date(timeIntervalSince1970: 1_796_000_000.25)

    private func campaign() throws -> QueueCampaign {
        QueueCampaign(try CampaignName("spring"), Self.input, at: Self.now)
    }

    @Test(arguments: ["spring", "a", "2026-11_gate.B12", String(repeating: "x", count: 100)])
    func aNameHasLettersDigitsAndThreeSigns(_ text: String) throws {
        #expect(try CampaignName(text).description == text)
    }

    @Test(arguments: ["", "a b", "é", "a/b", "a{b}", "a\n", String(repeating: "x", count: 101)])
    func aNameThatIsNoneIsRefused(_ text: String) {
        #expect(throws: QueueError.self) { try CampaignName(text) }
    }

    @Test func anIDComesFromTheNameTheRoundAndTheLine() throws {
        let (spring, other) = (try CampaignName("spring"), try CampaignName("spring1"))
        let id = EntryID(campaign: spring, round: 0, line: 17)
        #expect(id == EntryID(campaign: spring, round: 0, line: 17))
        // It must never change: campaigns that are put again have entries with these ids.
        #expect("\(id)" == "569f07a37a846129e2a2d1509d6c9f47")
        let others = [
            EntryID(campaign: spring, round: 1, line: 17), EntryID(campaign: spring, round: 0, line: 18),
            EntryID(campaign: other, round: 0, line: 17),
        ]
        #expect(Set(others + [id]).count == 4)
    }

    @Test func aTextOfACampaignIsReadBackAsItWas() throws {
        var campaign = try campaign()
        _ = try campaign.begin(Self.input, at: Self.now)
        _ = try campaign.begin(CampaignInput(records: "aa", redo: "r", author: "b\"e\n"), at: Self.now)
        #expect(try QueueCampaign(text: campaign.text) == campaign)
        #expect(!campaign.text.contains("\n"))
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"name":"a b","records":"","rounds":[]}"#, #"{"name":"a","records":"","rounds":[]}"#,
    ])
    func aDamagedTextIsAnError(_ text: String) {
        #expect(throws: QueueError.self) { try QueueCampaign(text: text) }
    }

    @Test func theErrorOfAnotherFileNamesWhoBeganTheCampaign() throws {
        var campaign = try campaign()
        let error = #expect(throws: QueueError.self) {
            try campaign.begin(CampaignInput(records: "bb", author: "ben"), at: Self.now)
        }
        #expect(error?.code == .refused && error?.description.contains("another file, by anna") == true)
    }

    @Test func aCampaignIsPutAHundredTimesAtMost() throws {
        var campaign = try campaign()
        for number in 1..<QueueCampaign.mostRounds {
            let place = try campaign.begin(
                CampaignInput(records: "aa", redo: "\(number)", author: "anna"), at: Self.now)
            #expect(place.round == number)
        }
        let error = #expect(throws: QueueError.self) {
            try campaign.begin(CampaignInput(records: "aa", redo: "more", author: "anna"), at: Self.now)
        }
        #expect(error?.code == .full)
    }

    @Test func theCampaignThatWasBegunFirstGivesWay() throws {
        var ledger = CampaignLedger()
        for number in 0...QueueCampaign.most {
            let name = try CampaignName("c\(number)")
            _ = try ledger.begin(name, Self.input, at: Self.now.addingTimeInterval(Double(number)))
        }
        #expect(ledger.all.count == QueueCampaign.most && ledger.all.first?.name.description == "c1")
    }

    @Test func aCampaignThatIsHeldIsNotForgotten() throws {
        var ledger = CampaignLedger()
        for number in 0..<QueueCampaign.most {
            let name = try CampaignName("c\(number)")
            _ = try ledger.begin(name, Self.input, at: Self.now.addingTimeInterval(Double(number)))
        }
        let (first, later) = (try CampaignName("c0"), Self.now.addingTimeInterval(1e6))
        try ledger[first]?.obey(.pause)
        _ = try ledger.begin(try CampaignName("more"), Self.input, at: later)
        let second = try CampaignName("c1")
        #expect(ledger[first]?.hold == .paused && ledger[second] == nil)
        for campaign in ledger.all { try ledger[campaign.name]?.obey(.cancel) }
        let error = #expect(throws: QueueError.self) {
            _ = try ledger.begin(try CampaignName("last"), Self.input, at: later)
        }
        #expect(error?.code == .full && ledger.all.count == QueueCampaign.most)
    }
}
