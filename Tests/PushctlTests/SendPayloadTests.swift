import Foundation
import PushTerminal
import SupervisedPush
import Testing

@testable import pushctl

/// What the flags of `pushctl send` become.
@Suite("parity: P1, P12, R8 – a push of every type from the command line") struct SendPayloadTests {
    private let connection = ["--key", "AuthKey_ABC123DEFG.p8", "--team-id", "T", "--topic", "com.example.app"]

    private func push(_ arguments: [String]) throws -> PushNotification {
        let options = try SendOptions.parsed(["aabb"] + arguments + connection)
        return try SendPayload(options, now: 1_700_000_000).notification()
    }

    private func json(_ bytes: [UInt8]) throws -> NSDictionary {
        try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
    }

    private func expect(
        _ arguments: [String], _ sample: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try json(push(arguments).payload.bytes) == json(Array(sample.utf8)), sourceLocation: location)
    }

    @Test("names that Swift takes for equal are two members, each sent as it stands")
    func namesThatOnlyLookAlike() throws {
        let content = "\"\u{E9}\":1,\"e\u{301}\":2"
        for flags in [
            ["--title", "t", "--content", "{\(content)}"], ["--push-type", "voip", "--content", "{\(content)}"],
        ] {
            let sent = String(decoding: try push(flags).payload.bytes, as: UTF8.self)
            #expect(sent.utf8.firstRange(of: content.utf8) != nil, "\(sent)")
        }
    }

    @Test func alerts() throws {
        try expect(
            [
                "--title", "t", "--subtitle", "s", "--body", "b", "--badge", "0", "--sound", "default",
                "--launch-image", "l",
            ],
            #"{"aps":{"alert":{"title":"t","subtitle":"s","body":"b","launch-image":"l"},"badge":0,"sound":"default"}}"#
        )
        try expect(
            ["--title-loc-key", "T", "--title-loc-arg", "1", "--loc-key", "B", "--loc-arg", "2", "--loc-arg", "3"],
            #"{"aps":{"alert":{"title-loc-key":"T","title-loc-args":["1"],"loc-key":"B","loc-args":["2","3"]}}}"#)
        try expect(
            [
                "--body", "b", "--critical-volume", "0.5", "--interruption-level", "critical", "--relevance-score", "1",
                "--filter-criteria", "f", "--target-content-id", "w", "--category", "c", "--thread-id", "t",
                "--mutable-content", "--content-available",
            ],
            """
            {"aps":{"alert":{"body":"b"},"sound":{"critical":1,"name":"default","volume":0.5},"interruption-level":"critical",
            "relevance-score":1,"filter-criteria":"f","target-content-id":"w","category":"c","thread-id":"t",
            "mutable-content":1,"content-available":1}}
            """)
        try expect(
            ["--body", "b", "--content", #"{"order":4711}"#], #"{"aps":{"alert":{"body":"b"}},"order":4711}"#)
    }

    @Test("what a person writes may begin with a hyphen")
    func hyphens() throws {
        try expect(
            [
                "--title", "-1 : 0", "--subtitle", "--s", "--body", "-20 % today", "--action", "-a", "--url-arg",
                "-x=1",
                "--url-arg", "--y", "--category", "-c", "--thread-id", "-t", "--target-content-id", "-w",
                "--filter-criteria", "-f", "--content", "{}",
            ],
            """
            {"aps":{"alert":{"title":"-1 : 0","subtitle":"--s","body":"-20 % today","action":"-a"},"url-args":["-x=1","--y"],
            "category":"-c","thread-id":"-t","target-content-id":"-w","filter-criteria":"-f"}}
            """)
        try expect(
            [
                "--title-loc-key", "-T", "--title-loc-arg", "-1", "--subtitle-loc-key", "-S", "--subtitle-loc-arg",
                "-2",
                "--loc-key", "-B", "--loc-arg", "-3", "--loc-arg", "4", "--loc-arg", "--5",
            ],
            """
            {"aps":{"alert":{"title-loc-key":"-T","title-loc-args":["-1"],"subtitle-loc-key":"-S","subtitle-loc-args":["-2"],
            "loc-key":"-B","loc-args":["-3","4","--5"]}}}
            """)
        try expect(
            ["--event", "end", "--relevance-score", "-1.5", "--body=-b"],
            """
            {"aps":{"timestamp":1700000000,"event":"end","relevance-score":-1.5,"alert":{"body":"-b"}}}
            """)
        let id = try SendOptions.parsed(["aabb", "--body", "b", "--collapse-id", "-c"] + connection).headers.collapseID
        #expect(id == "-c")
        try expect(
            ["--push-type", "fileprovider", "--container", "-c", "--domain", "-d"],
            #"{"container-identifier":"-c","domain":"-d"}"#)
    }

    @Test func silentOnes() throws {
        try expect(["--push-type", "background"], #"{"aps":{"content-available":1}}"#)
        try expect(
            ["--push-type", "background", "--content", #"{"a":1}"#], #"{"aps":{"content-available":1},"a":1}"#)
        try expect(["--push-type", "widgets"], #"{"aps":{"content-changed":true}}"#)
        try expect(["--push-type", "controls"], #"{"aps":{"content-changed":true}}"#)
        try expect(["--push-type", "location"], #"{"aps":{}}"#)
    }

    @Test func callsComplicationsAndFiles() throws {
        try expect(["--push-type", "voip", "--content", #"{"call":1}"#], #"{"call":1}"#)
        try expect(["--push-type", "complication", "--content", #"{"goals":1}"#], #"{"goals":1}"#)
        try expect(
            ["--push-type", "accessory", "--content", Stage.answer], #"{"aps":\#(Stage.answer)}"#)
        try expect(["--push-type", "pushtotalk", "--content", #"{"speaker":"A"}"#], #"{"aps":{},"speaker":"A"}"#)
        try expect(
            ["--push-type", "fileprovider", "--container", "c", "--domain", "d"],
            #"{"container-identifier":"c","domain":"d"}"#)
        try expect(
            ["--push-type", "fileprovider"],
            #"{"container-identifier":"NSFileProviderWorkingSetContainerItemIdentifier"}"#)
    }

    @Test("parity: R10, R11 – mdm, Safari and Wallet")
    func managedDevicesSitesAndPasses() throws {
        try expect(["--push-magic", "m"], #"{"mdm":"m"}"#)
        #expect(try push(["--push-magic", "m"]).pushType == .mdm)
        try expect(["--wallet"], "{}")
        try expect(
            ["--title", "t", "--body", "b", "--action", "View", "--url-arg", "x"],
            #"{"aps":{"alert":{"title":"t","body":"b","action":"View"},"url-args":["x"]}}"#)
    }

    @Test func liveActivities() throws {
        try expect(
            ["--event", "update", "--content-state", #"{"minutes":4}"#, "--stale-date", "1700000600", "--title", "t"],
            """
            {"aps":{"timestamp":1700000000,"event":"update","content-state":{"minutes":4},"stale-date":1700000600,
            "alert":{"title":"t"}}}
            """)
        try expect(
            [
                "--event", "start", "--timestamp", "5", "--content-state", "{}", "--attributes-type", "A",
                "--attributes",
                #"{"a":1}"#, "--input-push-token", "--body", "b", "--sound", "s",
            ],
            """
            {"aps":{"timestamp":5,"event":"start","content-state":{},"attributes-type":"A","attributes":{"a":1},
            "input-push-token":1,"alert":{"body":"b","sound":"s"}}}
            """)
        try expect(
            ["--event", "end", "--dismissal-date", "9"],
            #"{"aps":{"timestamp":1700000000,"event":"end","dismissal-date":9}}"#)
        #expect(try push(["--event", "end"]).pushType == .liveActivity)
    }

    @Test(
        "what is no JSON object is said with the flag's name",
        arguments: ["--content", "--content-state", "--attributes"])
    func brokenJSON(flag: String) {
        let event = flag == "--content" ? ["--body", "b"] : ["--event", "start"]
        let error = #expect(throws: CommandError.self) { try push(event + [flag, "{oops"]) }
        #expect(error?.status == .usage)
        #expect(error?.message.contains(flag) == true)
        #expect(error?.message.contains("oops") == false)
        #expect(throws: CommandError.self) { try push(event + [flag, "@/nowhere/file.json"]) }
    }

    @Test func aCallNeedsItsContent() {
        let error = #expect(throws: CommandError.self) {
            try push(["--push-type", "voip", "--wallet", "--domain", "d"])
        }
        #expect(error?.status == .usage)
    }
}
