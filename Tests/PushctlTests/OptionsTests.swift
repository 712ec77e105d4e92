import PushDemo
import PushTerminal
import SupervisedPush
import Testing

@testable import PushCampaign
@testable import pushctl

@Suite struct OptionsTests {
    private let token = ["--key", "AuthKey_ABC123DEFG.p8", "--team-id", "DEF123GHIJ"]

    @Test func connectionDefaultsAreThePromisedOnes() throws {
        let options = try ConnectionOptions.parsed(token)
        #expect(options.environment == .production)
        #expect(options.host == nil)
        #expect(options.port == 443)
        #expect(options.timeout.duration == .seconds(10))
        #expect(options.connectTimeout.duration == .seconds(15))
        #expect(options.maxOutage.duration == .seconds(300))
        #expect(options.drain.duration == .seconds(10))
        #expect(options.connections == .one)
    }

    @Test("parity: E26 – the key id is the part of the file's name behind AuthKey_")
    func theKeyIDComesFromTheFileName() throws {
        #expect(
            try ConnectionOptions.parsed(["--key", "/k/AuthKey_ABC123DEFG.p8", "--team-id", "T"]).credential()
                == .token(key: "/k/AuthKey_ABC123DEFG.p8", keyID: "ABC123DEFG", teamID: "T"))
        #expect(
            try ConnectionOptions.parsed(token + ["--key-id", "OTHER"]).credential()
                == .token(key: "AuthKey_ABC123DEFG.p8", keyID: "OTHER", teamID: "DEF123GHIJ"))
        #expect(CredentialFiles.keyID(fromFileName: "key.p8") == nil)
        #expect(CredentialFiles.keyID(fromFileName: "AuthKey_.p8") == nil)
        #expect(CredentialFiles.keyID(fromFileName: "AuthKey_X.p8/") == "X")
    }

    @Test func aCertificateMayHoldItsKey() throws {
        #expect(
            try ConnectionOptions.parsed(["--certificate", "c"]).credential() == .certificate("c", privateKey: nil))
        #expect(
            try ConnectionOptions.parsed(["--certificate", "c", "--private-key", "k"]).credential()
                == .certificate("c", privateKey: "k"))
        #expect(try ConnectionOptions.parsed(["--p12", "f"]).credential() == .pkcs12("f"))
        #expect(try ConnectionOptions.parsed(["--p12", "f", "--password-file", "p"]).passwordFile == "p")
    }

    @Test(
        arguments: [
            (["--team-id", "T"], "No credential"), (["--key", "/dev/null", "--team-id", "T"], "--key needs --key-id"),
            (["--key", "nope.p8", "--team-id", "T"], "--key: there is no file nope.p8"),
            (["--key", "AuthKey_A.p8"], "--key needs --team-id"),
            (["--key", "k", "--certificate", "c"], "exclude each other"),
            (["--certificate", "c", "--team-id", "T"], "go with --key"),
            (["--key", "AuthKey_A.p8", "--team-id", "T", "--private-key", "p"], "goes with --certificate"),
            (["--certificate", "c", "--connections", "2...1001"], "at most 1000"),
            (["--certificate", "c", "--connections", "0"], "invalid"),
            (["--certificate", "c", "--connections", "8...2"], "invalid"),
            (["--certificate", "c", "--port", "70000"], "is not a port"),
            (["--certificate", "c", "--host", "https://a/b"], "is not a host"),
            (["--certificate", "c", "--host", "a:443"], "--port"),
            (["--certificate", "c", "--timeout", "0"], "more than 0"),
            (["--certificate", "c", "--timeout", "-1"], "timeout"),
            (["--certificate", "c", "--timeout", "inf"], "invalid"),
            (["--certificate", "c", "--timeout", "1e3"], "invalid"),
            (["--certificate", "c", "--topic", ""], "--topic is empty"),
            (["--certificate", "c", "--environment", "staging"], "production"),
            (["--certificate", "c", "--p12", "f"], "--certificate and --p12 exclude each other"),
            (["--p12", "f", "--key-id", "K"], "go with --key"),
            (["--p12", "f", "--private-key", "k"], "contains its key"),
            (["--key", "AuthKey_A.p8", "--team-id", "T", "--password-file", "p"], "has no password"),
            (["--p12", "f", "--password", "secret"], "password"),
            (["--certificate", "c", "--proxy", ""], "--proxy"), (["--certificate", "c", "--proxy", "p:x"], "port"),
            (["--certificate", "c", "--proxy", "https://p:1"], "TLS to the proxy"),
        ])
    func wrongConnectionFlagsAreUsageErrorsOnOneLine(arguments: [String], expected: String) {
        let error = #expect(throws: CommandError.self) { _ = try ConnectionOptions.parsed(arguments) }
        #expect(error?.status == .usage)
        #expect(error?.message.contains(expected) == true, "\(error?.message ?? "no error")")
        #expect(error?.line.contains("\n") == false)
        #expect(error?.line.hasPrefix("pushctl: ") == true)
    }

    @Test("parity: E18 – the proxy comes from the flag, else from the environment")
    func theProxyComesFromTheFlagOrTheEnvironment() throws {
        func setting(_ flags: String...) throws -> ProxySetting {
            try ConnectionOptions.parsed(["--certificate", "c"] + flags).proxySetting()
        }
        #expect(try setting() == .fromEnvironment)
        #expect(try setting("--proxy", "none") == .none)
        #expect(
            try setting("--proxy", "http://me:pw@p:3128") == .http(host: "p", port: 3_128, user: "me", password: "pw"))
        #expect(try setting("--proxy", "socks5://p") == .socks5(host: "p", port: 1_080))
        let error = #expect(throws: CommandError.self) { try setting("--proxy", "http://me:hunter2@p:x") }
        #expect(error?.status == .usage && error?.message.contains("hunter2") == false)
    }

    @Test func anIPv6HostIsAHost() throws {
        #expect(try ConnectionOptions.parsed(["--certificate", "c", "--host", "::1"]).host == "::1")
    }

    @Test func aKeyNeedsATopicFromSomewhere() throws {
        let bare = try ConnectionOptions.parsed(token)
        #expect(throws: CommandError.self) { try bare.requireTopic(recordsMayNameOne: false) }
        try bare.requireTopic(recordsMayNameOne: true)
        try ConnectionOptions.parsed(token + ["--topic", "t"]).requireTopic(recordsMayNameOne: false)
        try ConnectionOptions.parsed(["--certificate", "c"]).requireTopic(recordsMayNameOne: false)
    }

    @Test func bulkTakesAFormatFromTheNameOrTheFlag() throws {
        #expect(try BulkFlags.parsed(["a.csv"] + token).inputFormat == .csv)
        #expect(try BulkFlags.parsed(["a.NDJSON"] + token).inputFormat == .ndjson)
        #expect(try BulkFlags.parsed(["a.jsonl"] + token).inputFormat == .ndjson)
        #expect(try BulkFlags.parsed(["-", "--format", "ndjson"] + token).inputFormat == .ndjson)
        #expect(try BulkFlags.parsed(["-"] + token).inputFormat == .csv)
        #expect(try BulkFlags.parsed(["-"] + token).progress == .auto)
    }

    @Test(
        arguments: [
            ([], "input"), (["-", "--payload", "-"], "both"), (["a.csv", "--rate", "0"], "--rate 0 is out of range"),
            (["a.csv", "--journal", "j"], "journal"), (["a.csv", "--progress", "loud"], "progress"),
            (["a.csv", "--format", "xml"], "format"), (["a.csv", "--append"], "--append goes with --outcomes FILE"),
            (["a.csv", "--outcomes", "-", "--overwrite"], "--overwrite goes with --outcomes FILE"),
            (["a.csv", "--outcomes", "o", "--append", "--overwrite"], "exclude each other"),
            (["a.csv", "--outcomes", ""], "--outcomes is empty"),
        ])
    func wrongBulkFlagsAreUsageErrors(arguments: [String], expected: String) {
        let error = #expect(throws: CommandError.self) { _ = try BulkFlags.parsed(arguments + token) }
        #expect(error?.status == .usage)
        #expect(error?.message.contains(expected) == true, "\(error?.message ?? "no error")")
    }

    @Test(
        arguments: [
            (["xyz", "--body", "b"], "TOKEN is not a device token"), (["abc", "--body", "b"], "TOKEN"),
            (["", "--body", "b"], "TOKEN"),
            (["aa"], "No payload"), (["aa", "--body", "b", "--payload", "f"], "--payload is the whole payload"),
            (["aa", "--body", "b", "--priority", "7"], "--priority"), (["aa", "--body", "b", "--badge=-1"], "--badge"),
            (["aa", "--body", "b", "--expiration=-1"], "--expiration"),
            (["aa", "--body", "b", "--expiration", "1"], "expired 1970-01-01 00:00:01 UTC, before it was sent"),
            (["aa", "--body", "b", "--apns-id", "7"], "--apns-id"),
            (["aa", "--body", "b", "--collapse-id", String(repeating: "c", count: 65)], "65 bytes"),
            (["aa", "--body", "b", "--collapse-id", String(repeating: "c", count: 65)], "--waive collapse-id"),
            (
                ["aa", "--body", "b", "--waive", "collapse-id", "--collapse-id", String(repeating: "c", count: 513)],
                "513 bytes"
            ),
            (["aa", "--push-type", "alert"], "No payload"), (["aa", "--push-type", "voip"], "No payload"),
            (["aa", "--push-type", "voip"], "--content JSON"),
            (["aa", "--push-type", "complication"], "--content JSON"),
            (["aa", "--push-type", "pushtotalk"], "--content JSON"),
            (["aa", "--push-type", "accessory"], "--content JSON"),
            (["aa", "--event", "update", "--sound", "s"], "needs --title or --body"),
            (["aa", "--event", "end", "--critical-volume", "0.5"], "needs --title or --body"),
            (["aa", "--push-type", "liveactivity", "--body", "b"], "needs --event"),
            (["aa", "--push-type", "mdm", "--body", "b"], "needs --push-magic"),
            (["aa", "--timestamp", "1"], "need --event"),
            (["aa", "--event", "end", "--push-type", "alert"], "--push-type"),
            (["aa", "--push-magic", "m", "--push-type", "alert"], "--push-type"),
            (["aa", "--push-magic", "m", "--body", "b"], "whole payload"),
            (["aa", "--wallet", "--badge", "1"], "whole"),
            (["aa", "--container", "c"], "fileprovider"),
            (["aa", "--push-type", "fileprovider", "--content", "{}"], "whole payload"),
            (["aa", "--event", "start", "--input-push-channel", "c", "--input-push-token"], "exclude each other"),
            (["aa", "--body", "b", "--loc-key", "K"], "--loc-key"),
            (["aa", "--loc-arg", "a", "--body", "b"], "--loc-key"),
            (["aa", "--title", "b", "--title-loc-key", "K"], "--title-loc-key"),
            (["aa", "--body", "b", "--critical-volume", "2"], "--critical-volume"),
            (["aa", "--body", "b", "--fit", "cut"], "fit"), (["aa", "--body", "b", "--waive", "physics"], "waive"),
        ])
    func wrongSendFlagsAreUsageErrors(arguments: [String], expected: String) {
        let error = #expect(throws: CommandError.self) {
            _ = try SendOptions.parsed(arguments + token + ["--topic", "t"])
        }
        #expect(error?.status == .usage)
        #expect(error?.message.contains(expected) == true, "\(error?.message ?? "no error")")
    }

    @Test func anExpirationIsPastFromItsSecondOn() {
        #expect(PastExpiration.problem(100, now: 100) == "expired 1970-01-01 00:01:40 UTC, before it was sent")
        // What is not a time at all is refused for that.
        #expect(PastExpiration.problem(-1, now: 100) == nil)
        #expect(PastExpiration.problem(101, now: 100) == nil)
        // 0 is not a time: a single attempt.
        #expect(PastExpiration.problem(0, now: 100) == nil)
    }

    @Test func aPastExpirationOfTheConfigurationIsRefusedUnlessThePushHasItsOwn() throws {
        var (push, defaults) = (PushNotification.alert(title: "T", body: "B"), RequestDefaults())
        defaults.expiration = Expiration(unixSeconds: 100)
        let error = #expect(throws: CommandError.self) {
            try SinglePush.checkExpiration(of: push, defaults: defaults, path: "push.json")
        }
        #expect(error?.status == .configuration)
        #expect(error?.message.hasPrefix("push.json: expiration 100: the push expired 1970-01-01 00:01:40 UTC") == true)
        push.expiration = .immediately
        try SinglePush.checkExpiration(of: push, defaults: defaults, path: "push.json")
    }

    @Test func anExistingFileIsRefusedAddedToOrReplaced() throws {
        let bulk = ["a.csv", "--outcomes", "o"] + token
        #expect(try BulkFlags.parsed(bulk).existing.policy == .refuse)
        #expect(try BulkFlags.parsed(bulk + ["--append"]).existing.policy == .append)
        #expect(try BulkFlags.parsed(bulk + ["--overwrite"]).existing.policy == .overwrite)
        #expect(try BulkFlags.parsed(["a.csv", "--outcomes", "-"] + token).outcomesFile == nil)
        #expect(try SimulateOptions.parsed(["--log", "l", "--append"]).existing.policy == .append)
        #expect(try SimulateOptions.parsed(["--log", "-"]).logFile == nil)
        #expect(throws: CommandError.self) { _ = try SimulateOptions.parsed(["--overwrite"]) }
    }

    @Test func sendTakesItsFlags() throws {
        let options = try SendOptions.parsed(
            ["00FFaa", "--badge", "0", "--thread-id", "t", "--apns-id", "9CC486EA-EA83-9351-40df-000000000000"]
                + token + ["--topic", "a.b", "--collapse-id", "c"])
        #expect(options.alert.badge == 0)
        #expect(options.alert.threadID == "t")
        #expect(options.headers.collapseID == "c")
        #expect(options.connection.topic == "a.b")
        let error = #expect(throws: CommandError.self) { _ = try SendOptions.parsed(["aa", "--body", "b"] + token) }
        #expect(error?.message.contains("--key needs a topic") == true)
    }

    @Test func aLongCollapseIDIsTakenWhereItsRuleIsWaived() throws {
        let id = String(repeating: "c", count: 65)
        let arguments = ["aa", "--body", "b", "--collapse-id", id] + token + ["--topic", "a.b"]
        #expect(try SendOptions.parsed(arguments + ["--waive", "collapse-id"]).headers.collapseID == id)
        #expect(try SendOptions.parsed(arguments + ["--waive", "all"]).headers.collapseID == id)
        #expect(throws: CommandError.self) { _ = try SendOptions.parsed(arguments + ["--waive", "content"]) }
    }

    @Test func bulkTakesWhatAllPushesHaveInCommon() throws {
        let options = try BulkFlags.parsed(
            ["t.csv", "--title", "Gate", "--body", "B12", "--priority", "5", "--ttl", "90m", "--collapse-id", "c"]
                + ["--limit", "10", "--waive", "content"] + token)
        #expect(options.campaign.ttl?.seconds == 5_400 && options.campaign.limit == 10)
        #expect(options.campaign.makesPayload && options.campaign.alert.title == "Gate")
        var defaults = RequestDefaults(topic: "a.b")
        try options.campaign.set(&defaults)
        #expect(
            try defaults
                == RequestDefaults(topic: "a.b", priority: .conserving, collapseID: CollapseID("c"), waived: .content))
        #expect(try BulkFlags.parsed(["t.csv", "--push-type", "background"] + token).campaign.makesPayload)
        #expect(try !BulkFlags.parsed(["t.csv", "--push-type", "voip"] + token).campaign.makesPayload)
    }

    @Test(
        arguments: [
            (["--ttl", "40d"], "--ttl is out of range"), (["--ttl", "x"], "--ttl is out of range"),
            (["--ttl", "0"], "--ttl is out of range"),
            (["--ttl", "1h", "--expiration", "0"], "give one of them"), (["--limit", "0"], "--limit 0 is below 1"),
            (["--body", "b", "--payload", "p.json"], "--payload is the whole payload"),
            (["--priority", "7"], "--priority 7 is unknown"), (["--collapse-id", ""], "--collapse-id has 0 bytes"),
        ])
    func bulkRefusesWhatMakesNoSense(arguments: [String], problem: String) throws {
        let error = #expect(throws: CommandError.self) { _ = try BulkFlags.parsed(["t.csv"] + arguments + token) }
        #expect(error?.message.contains(problem) == true, "\(error?.message ?? "")")
    }

    @Test func theSmallCommandsTakeTheirFlags() throws {
        #expect(try DemoOptions.parsed([]).pushes == 10_000)
        #expect(try DemoOptions.parsed(["--pushes", "5"]).pushes == 5)
        #expect(throws: CommandError.self) { _ = try DemoOptions.parsed(["--pushes", "0"]) }
        #expect(try SimulateOptions.parsed(["--port", "8443", "--credentials", "d", "--log", "l"]).port == 8443)
        #expect(try SimulateOptions.parsed(["--script", "s"]).script == "s")
        #expect(throws: CommandError.self) { _ = try SimulateOptions.parsed(["--port", "65536"]) }
        #expect(try TokenOptions.parsed(token).resolvedKeyID == "ABC123DEFG")
        #expect(throws: CommandError.self) { _ = try TokenOptions.parsed(["--key", "k", "--team-id", "T"]) }
    }
}
