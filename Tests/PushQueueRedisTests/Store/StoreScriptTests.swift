import Testing

@testable import PushQueueRedis

/// The scripts in Lua as files.
@Suite struct StoreScriptTests {
    private static let all = [
        StoreScript.adopt,
        StoreScript.beat,
        StoreScript.campaign,
        StoreScript.campaignPlaces,
        StoreScript.campaigns,
        StoreScript.cancel,
        StoreScript.deadLetters,
        StoreScript.discard,
        StoreScript.enqueue,
        StoreScript.find,
        StoreScript.group,
        StoreScript.handBack,
        StoreScript.heldEntries,
        StoreScript.heldKeys,
        StoreScript.holds,
        StoreScript.keepCampaign,
        StoreScript.knowsCall,
        StoreScript.lastPosition,
        StoreScript.leave,
        StoreScript.limitOutcomes,
        StoreScript.note,
        StoreScript.offer,
        StoreScript.outcomes,
        StoreScript.permit,
        StoreScript.reclaim,
        StoreScript.release,
        StoreScript.requeue,
        StoreScript.rights,
        StoreScript.settle,
        StoreScript.status,
        StoreScript.steer,
        StoreScript.steering,
        StoreScript.take,
        StoreScript.tip,
        StoreScript.trim,
        StoreScript.unpark,
    ]

    @Test func eachPartThatAScriptNamesExistsAndEachPartIsUsed() {
        let named = Self.all.reduce(into: Set(["keys"])) { $0.formUnion($1.parts) }
        #expect(named == Set(StoreScript.allParts.keys))
    }

    @Test func aScriptBeginsWithItsFlagsAndTheKeysAndHasNoComments() {
        for script in Self.all {
            let lines = script.script.source.split(separator: "\n")
            #expect(lines.first?.hasPrefix("#!lua") == true)
            #expect(lines.dropFirst().first?.hasPrefix("local stream, later") == true)
            #expect(!lines.contains { $0.hasPrefix("--") })
        }
    }

    @Test func partsComeBeforeWhatUsesThem() {
        let lines = StoreScript.beat.script.source.split(separator: "\n")
        let part = lines.firstIndex { $0.hasPrefix("local function clock()") }
        let uses = lines.indices.filter { lines[$0].contains("clock()") && $0 != part }
        #expect(part != nil && !uses.isEmpty && uses.allSatisfy { part ?? 0 < $0 })
    }
}
