import Testing
import pushctl

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
    }

    @Test(
        arguments: [
            ([], "No credential"), (["--key", "k.p8", "--team-id", "T"], "--key needs --key-id"),
            (["--key", "AuthKey_A.p8"], "--key needs --team-id"),
            (["--key", "k", "--certificate", "c"], "exclude each other"),
            (["--certificate", "c", "--team-id", "T"], "go with --key"),
            (["--key", "AuthKey_A.p8", "--team-id", "T", "--private-key", "p"], "goes with --certificate"),
            (["--certificate", "c", "--connections", "2...1001"], "at most 1000"),
            (["--certificate", "c", "--connections", "0"], "invalid"),
            (["--certificate", "c", "--connections", "8...2"], "invalid"),
            (["--certificate", "c", "--port", "70000"], "is no port"),
            (["--certificate", "c", "--host", "https://a/b"], "is no host"),
            (["--certificate", "c", "--host", "a:443"], "--port"),
            (["--certificate", "c", "--timeout", "0"], "more than 0"),
            (["--certificate", "c", "--timeout", "-1"], "timeout"),
            (["--certificate", "c", "--timeout", "inf"], "invalid"),
            (["--certificate", "c", "--timeout", "1e3"], "invalid"),
            (["--certificate", "c", "--topic", ""], "--topic is empty"),
            (["--certificate", "c", "--environment", "sandbox"], "production"),
            (["--certificate", "c", "--p12", "f"], "p12"),
            (["--certificate", "c", "--proxy", "none"], "proxy"), (["--certificate", "c", "--config", "f"], "config"),
        ])
    func wrongConnectionFlagsAreUsageErrorsOnOneLine(arguments: [String], expected: String) {
        let error = #expect(throws: CommandError.self) { _ = try ConnectionOptions.parsed(arguments) }
        #expect(error?.status == .usage)
        #expect(error?.message.contains(expected) == true, "\(error?.message ?? "no error")")
        #expect(error?.line.contains("\n") == false)
        #expect(error?.line.hasPrefix("pushctl: ") == true)
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
        #expect(try BulkOptions.parsed(["a.csv"] + token).inputFormat == .csv)
        #expect(try BulkOptions.parsed(["a.NDJSON"] + token).inputFormat == .ndjson)
        #expect(try BulkOptions.parsed(["a.jsonl"] + token).inputFormat == .ndjson)
        #expect(try BulkOptions.parsed(["-", "--format", "ndjson"] + token).inputFormat == .ndjson)
        #expect(try BulkOptions.parsed(["-"] + token).inputFormat == .csv)
        #expect(try BulkOptions.parsed(["-"] + token).progress == .auto)
    }

    @Test(
        arguments: [
            ([], "input"), (["-", "--payload", "-"], "both"), (["a.csv", "--rate", "0"], "--rate 0 is out of range"),
            (["a.csv", "--journal", "j"], "journal"), (["a.csv", "--progress", "loud"], "progress"),
            (["a.csv", "--format", "xml"], "format"),
        ])
    func wrongBulkFlagsAreUsageErrors(arguments: [String], expected: String) {
        let error = #expect(throws: CommandError.self) { _ = try BulkOptions.parsed(arguments + token) }
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
            (["aa", "--body", "b", "--apns-id", "7"], "--apns-id"),
            (["aa", "--body", "b", "--collapse-id", String(repeating: "c", count: 65)], "65 bytes"),
        ])
    func wrongSendFlagsAreUsageErrors(arguments: [String], expected: String) {
        let error = #expect(throws: CommandError.self) {
            _ = try SendOptions.parsed(arguments + token + ["--topic", "t"])
        }
        #expect(error?.status == .usage)
        #expect(error?.message.contains(expected) == true, "\(error?.message ?? "no error")")
    }

    @Test func sendTakesItsFlags() throws {
        let options = try SendOptions.parsed(
            ["00FFaa", "--badge", "0", "--thread-id", "t", "--apns-id", "9CC486EA-EA83-9351-40df-000000000000"]
                + token + ["--topic", "a.b", "--collapse-id", "c"])
        #expect(options.badge == 0)
        #expect(options.threadID == "t")
        #expect(options.collapseID == "c")
        #expect(options.connection.topic == "a.b")
        let error = #expect(throws: CommandError.self) { _ = try SendOptions.parsed(["aa", "--body", "b"] + token) }
        #expect(error?.message.contains("--key needs a topic") == true)
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
