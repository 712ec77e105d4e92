import Foundation
import SupervisedPush
import Testing

@testable import PushQueue

/// Whatever happens to workers, links and store: no token is lost, each has one outcome, and only what was in doubt is
/// pushed again.
@Suite struct RandomWorkerTests {
    /// How many lives: 300, or as many as `SUPERVISED_PUSH_WORKER_LIVES` says.
    private static let lives =
        ProcessInfo.processInfo.environment["SUPERVISED_PUSH_WORKER_LIVES"].flatMap { Int($0) }.map { max(1, $0) }
        ?? 300

    @Test(arguments: [false, true])
    func eachTokenGetsOneOutcomeWhateverHappens(hasCampaigns: Bool) async throws {
        var counts: [String: Int] = [:]
        for seed in 0..<Self.lives {
            if seed.isMultiple(of: 2) { await Task.yield() }  // Others wait for this thread.
            var life = try RandomWorkerLife(seed: UInt64(seed), hasCampaigns: hasCampaigns)
            life.live(steps: 1_500)
            let isDone = life.finish()
            #expect(isDone, "seed \(seed)")
            #expect(life.problems.first == nil, "seed \(seed)")
            var outcomes = life.store.outcomes
            let rows = try outcomes.page(.all, after: nil, limit: .max, marking: false).outcomes
            let expected = life.entries.filter { !life.flushed.contains($0.key) }
            let tokens = Set(rows.map { RandomToken(entry: $0.entry, index: $0.index) })
            #expect(rows.count == tokens.count, "seed \(seed)")
            #expect(tokens.count + life.cancelled == expected.values.reduce(0) { $0 + $1.tokens.count }, "seed \(seed)")
            counts["cancelled", default: 0] += life.cancelled
            counts.merge(life.counts, uniquingKeysWith: +)
            for row in rows { counts[row.reason ?? "", default: 0] += 1 }
        }
        let ofCampaigns = ["cancelled", "campaign pause", "campaign cancel", "campaign resume", "campaign rate"]
        for what in [
            "death", "pause", "cut off", "stop", "push", "again", "told", "interrupted", "deadLetter", "tooLate",
            "flush", "refused", "held", "come back",
        ] + (hasCampaigns ? ofCampaigns : []) {
            #expect(counts[what, default: 0] > 0, "\(what) did not happen: \(counts)")
        }
    }
}
