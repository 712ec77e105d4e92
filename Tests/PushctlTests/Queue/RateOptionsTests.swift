import Foundation
import PushQueue
import PushQueueRedis
import PushQueueSQLite
import PushTerminal
import Testing

@testable import pushctl

@Suite struct RateOptionsTests {
    private static let flags = ["--queue", "pushes.db", "--key", "AuthKey_ABC.p8", "--team-id", "TEAM"]

    @Test(arguments: [("500", 500.0), ("500/s", 500), ("0.5", 0.5), ("10000000", 10_000_000)])
    func aRateIsANumberASecond(_ text: String, _ value: Double) {
        #expect(PushesPerSecond(argument: text)?.value == value)
    }

    @Test(arguments: ["", "/s", "0", "-1", "1e3", "0x10", "500/m", "10000001", "inf"])
    func whatIsNoRateIsRefused(_ text: String) { #expect(PushesPerSecond(argument: text) == nil) }

    @Test func aWorkerHasARateAndABurst() throws {
        let rate = try WorkerOptions.parsed(Self.flags + ["--rate", "500/s", "--burst", "50"]).queueRate.rate
        #expect(rate?.perSecond == 500 && rate?.burst == 50)
        #expect(try WorkerOptions.parsed(Self.flags).queueRate.rate == nil)
        for wrong in [["--burst", "5"], ["--rate", "5", "--burst", "0"], ["--rate", "fast"]] {
            #expect(throws: CommandError.self) { try WorkerOptions.parsed(Self.flags + wrong) }
        }
    }

    @Test func howAQueueIsKeptGoesWithItsPlace() throws {
        let file = try WorkerOptions.parsed(Self.flags + ["--fsync"]).keeping.sqlite(maxEntries: nil)
        #expect(file.durability == .machine && file.maxEntries == SQLiteQueue.Configuration().maxEntries)
        let server = ["--queue", "redis://host"] + Self.flags.dropFirst(2)
        #expect(try WorkerOptions.parsed(server + ["--replicas", "2"]).keeping.redis(maxEntries: nil).replicas == 2)
        for wrong in [Self.flags + ["--replicas", "1"], server + ["--fsync"], server + ["--replicas", "0"]] {
            #expect(throws: CommandError.self) { try WorkerOptions.parsed(wrong) }
        }
    }

    @Test(arguments: [
        (#""rate": 500, "burst": 20"#, 500.0, 20), (#""rate": "0.5/s""#, 0.5, 1), (#""rate": 1.5"#, 1.5, 2),
    ])
    func aFileOfQueuesHasRates(_ text: String, _ perSecond: Double, _ burst: Int) throws {
        let rate = try queues(text).first?.rate.rate
        #expect(rate?.perSecond == perSecond && rate?.burst == burst)
    }

    @Test(arguments: [
        (#""rate": "fast""#, "rate must be"), (#""burst": 5"#, "burst goes with rate"),
        (#""rate": 5, "burst": "many""#, "burst must be"), (#""rate": 5, "burst": 0"#, "out of range"),
    ])
    func aWrongRateInAFileIsNamed(_ text: String, _ expected: String) {
        let error = #expect(throws: CommandError.self) { try queues(text) }
        #expect(error?.status == .configuration && error?.message.contains(expected) == true, "\(error?.message ?? "")")
    }

    private func queues(_ settings: String) throws -> [WorkerQueue] {
        let scratch = try Scratch()
        let json = #"{"orders": {"key": "AuthKey_ABC.p8", "team-id": "T", "topic": "a", \#(settings)}}"#
        try Data(json.utf8).write(to: URL(fileURLWithPath: scratch.path))
        return try WorkerQueues.of(WorkerOptions.parsed(["--queue", "q.db", "--queues", scratch.path]))
    }
}
