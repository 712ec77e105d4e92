import ProcessRuntime
import PushQueue
import Testing

/// The share of the ordinary lane.
@Suite struct LaneTests {
    /// Takes entries of these numbers of tokens, as `u` and `o` for their lanes.
    private func taken(_ debt: inout LaneDebt, urgent: [Int], ordinary: [Int], room: Int) -> String {
        debt.choose(urgent: urgent, ordinary: ordinary, room: room).map { $0.lane == .urgent ? "u" : "o" }
            .joined()
    }

    private func ones(_ count: Int) -> [Int] { Array(repeating: 1, count: count) }

    @Test func ofEachEightTokensOneIsOrdinary() {
        var debt = LaneDebt()
        #expect(taken(&debt, urgent: ones(30), ordinary: ones(30), room: 20) == "uuuuuuuouuuuuuuouuuu")
        // Another take goes on.
        #expect(taken(&debt, urgent: ones(30), ordinary: ones(30), room: 5) == "uuuou")
    }

    @Test func aLargeUrgentEntryIsPaidForByAsManyOrdinaryTokens() {
        var debt = LaneDebt()
        #expect(taken(&debt, urgent: [70, 1, 1], ordinary: [4, 4, 4, 4], room: 100) == "uooouuo")
        #expect(debt.tokens == -12)
    }

    @Test func aLargeOrdinaryEntryIsCreditForTheUrgentLane() {
        var debt = LaneDebt(tokens: 7)
        #expect(taken(&debt, urgent: ones(9), ordinary: [2, 1], room: 99).hasPrefix("ouuuuuuu"))
        debt = LaneDebt(tokens: 7)
        debt.takeOrdinary(1_000, whileUrgentWaits: true)
        #expect(debt.tokens == 7 - 7_000)
        debt.takeOrdinary(1_000, whileUrgentWaits: true)
        #expect(debt.tokens == -LaneDebt.limit)
    }

    @Test func whatIsTakenAloneOwesNothingAndGivesNoCredit() {
        var debt = LaneDebt()
        #expect(taken(&debt, urgent: ones(20), ordinary: [], room: 20) == String(repeating: "u", count: 20))
        #expect(debt == LaneDebt())
        debt = LaneDebt(tokens: 9)
        #expect(taken(&debt, urgent: [1_000], ordinary: [], room: 20) == "u")
        #expect(debt == LaneDebt())
        #expect(taken(&debt, urgent: [], ordinary: ones(20), room: 20) == String(repeating: "o", count: 20))
        #expect(debt.tokens == 0)
        debt = LaneDebt(tokens: -5)
        #expect(taken(&debt, urgent: [], ordinary: ones(3), room: 3) == "ooo")
        #expect(debt.tokens == -5)
    }

    @Test func theFirstEntryIsTakenAlthoughItHasMoreTokensAndNothingPassesOneThatDoesNotFit() {
        var debt = LaneDebt()
        #expect(taken(&debt, urgent: [300], ordinary: [1], room: 5) == "u")
        debt = LaneDebt(tokens: 7)
        #expect(taken(&debt, urgent: [1], ordinary: [300], room: 5) == "o")
        debt = LaneDebt()
        #expect(taken(&debt, urgent: [3, 5], ordinary: [1], room: 7) == "u")
        debt = LaneDebt(tokens: 6)
        #expect(taken(&debt, urgent: [1, 1], ordinary: [9], room: 7) == "u")
        #expect(taken(&debt, urgent: [], ordinary: [], room: 7).isEmpty)
    }

    @Test func whatTheRateOfItsCampaignDoesNotPermitIsPassedInBothLanes() {
        var (debt, left) = (LaneDebt(), 8)
        // All of one campaign, which may have eight tokens.
        let chosen = debt.choose(urgent: ones(20), ordinary: ones(20), room: 20) { _ in
            left -= 1
            return left >= 0
        }
        #expect(chosen.map { $0.lane == .urgent ? "u" : "o" }.joined() == "uuuuuuuo")
        // The first two of the urgent lane are of such a campaign.
        debt = LaneDebt()
        let others = debt.choose(urgent: ones(3), ordinary: ones(2), room: 2) { $0.lane == .ordinary || $0.index > 1 }
        #expect(others.map(\.index) == [2, 0] && others.map(\.lane) == [.urgent, .ordinary])
    }

    @Test func aStoredDebtIsBounded() {
        #expect(LaneDebt(tokens: .max).tokens == LaneDebt.limit && LaneDebt(tokens: .min).tokens == -LaneDebt.limit)
        var debt = LaneDebt()
        debt.takeUrgent(.max, whileOrdinaryWaits: true)
        #expect(debt.tokens == LaneDebt.limit)
    }

    @Test(arguments: UInt64(0)..<20) func inTheLongRunAnEighthOfTheTokensIsOrdinary(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (debt, tokens) = (LaneDebt(), [LaneDebt.Lane.urgent: 0, .ordinary: 0])
        for _ in 0..<4_000 {
            let lists = (0..<2).map { _ in (0..<40).map { _ in [1, 2, 5, 256].randomElement(using: &random) ?? 1 } }
            let room = Int.random(in: 1...400, using: &random)
            for choice in debt.choose(urgent: lists[0], ordinary: lists[1], room: room) {
                tokens[choice.lane, default: 0] += lists[choice.lane == .urgent ? 0 : 1][choice.index]
            }
        }
        let all = Double((tokens[.urgent] ?? 0) + (tokens[.ordinary] ?? 0))
        #expect(abs(Double(tokens[.ordinary] ?? 0) / all - 0.125) < 0.01)
    }
}
