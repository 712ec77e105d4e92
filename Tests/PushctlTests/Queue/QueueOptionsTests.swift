import PushCampaign
import PushTerminal
import Testing

@testable import pushctl

@Suite struct QueueOptionsTests {
    private static let queue = ["--queue", "pushes.db"]
    private static let credential = ["--key", "AuthKey_ABC.p8", "--team-id", "TEAM"]

    @Test func aQueueHasAPlaceAndAName() throws {
        #expect(try QueueOptions.parsed(Self.queue).name == "push")
        #expect(try QueueOptions.parsed(Self.queue + ["--name", "orders"]).name == "orders")
        #expect(throws: CommandError.self) { try QueueOptions.parsed([]) }
        for name in ["", "a{b}", String(repeating: "a", count: 201)] {
            #expect(throws: CommandError.self) { try QueueOptions.parsed(Self.queue + ["--name", name]) }
        }
        #expect(throws: CommandError.self) { try QueueOptions.parsed(["--queue", "ftp://host"]) }
    }

    @Test func putTakesWhatBulkTakes() throws {
        let flags = try PutFlags.parsed(
            ["a.ndjson"] + Self.queue + [
                "--title", "Hi", "--push-type", "alert", "--priority", "5", "--ttl", "1h", "--collapse-id", "{{id}}",
                "--limit", "7", "--strict", "--not-before", "10m", "--deadline", "2h", "--once", "--urgent",
                "--from-line", "3",
            ])
        #expect(flags.inputFormat == .ndjson && flags.campaign.ttl?.seconds == 3_600 && flags.campaign.limit == 7)
        #expect(flags.notBefore == .after(600) && flags.deadline == .after(7_200) && flags.once && flags.urgent)
        #expect(flags.maxWait == Seconds(300) && flags.fromLine == 3 && !flags.wait)
    }

    @Test(arguments: [
        (["-", "--strict"], "reads INPUT twice"),
        (["a.csv", "--outcomes", "b.csv"], "goes with --wait"),
        (["a.csv", "--from-line", "0"], "lines start at 1"),
        (["a.csv", "--wait", "--ids"], "can't both go to standard output"),
        (["a.csv", "--wait", "--dry-run"], "puts nothing"),
        (["a.csv", "--payload", "p.json", "--title", "T"], "whole payload"),
        (["a.csv", "--not-before", "soon"], "is not a valid time"),
        (["a.csv", "--append"], "goes with --outcomes"),
    ])
    func wrongFlagsOfPutAreUsageErrors(_ arguments: [String], _ expected: String) {
        let error = #expect(throws: CommandError.self) { try PutFlags.parsed(arguments + Self.queue) }
        #expect(error?.status == .usage && error?.message.contains(expected) == true, "\(error?.message ?? "")")
    }

    @Test func aWorkerHasOneConnectionOrAFileOfQueues() throws {
        #expect(try WorkerOptions.parsed(Self.queue + Self.credential).queues == nil)
        #expect(try WorkerOptions.parsed(Self.queue + ["--queues", "queues.json"]).queues == "queues.json")
        #expect(throws: CommandError.self) { try WorkerOptions.parsed(Self.queue) }
    }

    @Test(arguments: [
        ["--key", "AuthKey_ABC.p8", "--team-id", "TEAM"], ["--topic", "com.example.app"], ["--host", "localhost"],
        ["--port", "2197"], ["--environment", "development"], ["--connections", "2"], ["--timeout", "5"],
        ["--connect-timeout", "5"], ["--max-outage", "5"], ["--resend-unknown"], ["--retry-status", "1"],
        ["--proxy", "none"], ["--trust-roots", "ca.pem"], ["--name", "orders"], ["--rate", "5"],
    ])
    func aFileOfQueuesReplacesTheFlagsOfOneQueue(_ flags: [String]) {
        let arguments = Self.queue + ["--queues", "queues.json"] + flags
        let error = #expect(throws: CommandError.self) { try WorkerOptions.parsed(arguments) }
        #expect(error?.status == .usage && error?.message.contains("leave out \(flags[0]).") == true)
    }

    @Test func aFileOfQueuesGoesWithTheFlagsOfTheCommand() throws {
        let flags = ["--queues", "queues.json", "--drain", "3", "--verbose", "--fsync", "--create"]
        let options = try WorkerOptions.parsed(Self.queue + flags)
        #expect(options.connection.drain == Seconds(3) && options.connection.verbose)
    }

    @Test func onlyWhoAddsEntriesBoundsThem() throws {
        #expect(try PutFlags.parsed(["a.csv", "--max-entries", "5"] + Self.queue).maxEntries == 5)
        #expect(throws: CommandError.self) { try PutFlags.parsed(["a.csv", "--max-entries", "0"] + Self.queue) }
        #expect(throws: CommandError.self) {
            try WorkerOptions.parsed(Self.queue + Self.credential + ["--max-entries", "5"])
        }
    }

    @Test func aFileOfQueuesLeavesOutTheFileOfTheEnvironment() throws {
        let arguments = ["worker"] + Self.queue + ["--queues", "queues.json"]
        let file: (String) -> String? = { $0 == "PUSHCTL_CONFIG" ? "/no/such/file" : nil }
        #expect(try ConfigurationArguments.expand(arguments, file) == arguments)
    }

    @Test func idsHave32Digits() throws {
        #expect(try EntryIDs([String(repeating: "a", count: 32)]).ids.count == 1)
        #expect(throws: CommandError.self) { try EntryIDs(["a"]) }
    }
}
