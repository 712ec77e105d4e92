import PushPacing
import PushTerminal
import SupervisedPush
import Testing

@testable import pushctl

@Suite struct BenchOptionsTests {
    private let here = ["--host", "localhost", "--key", "AuthKey_ABC123DEFG.p8", "--team-id", "T"]

    @Test func theDefaultsAreThePromisedOnes() throws {
        let options = try BenchOptions.parsed(here)
        #expect(options.duration == Seconds(10))
        #expect(options.loop == .closed(inFlight: 1_000))
        #expect(try BenchOptions.parsed(here + ["--rate", "50"]).loop == .open(perSecond: 50))
    }

    @Test(arguments: [
        (["--rate", "1", "--in-flight", "1"], "give one of them"), (["--in-flight", "0"], "1 to 10000"),
        (["--rate", "0"], "1 to 1000000"), (["--duration", "0"], "more than 0"),
        (["--tokens", "-", "--payload", "-"], "standard input"),
    ])
    func aLoadThatMakesNoSenseIsRefused(_ flags: [String], _ words: String) throws {
        let error = try #require(throws: CommandError.self) { try BenchOptions.parsed(here + flags) }
        #expect(error.status == .usage && error.message.contains(words))
    }

    @Test(arguments: [
        [], ["--environment", "development"], ["--host", "api.push.apple.com"],
        ["--host", "API.Sandbox.Push.Apple.COM."],
        ["--host", "17.188.1.1"],
    ])
    func applesServiceIsLoadedOnPurposeOnly(_ flags: [String]) throws {
        let credential = Array(here.dropFirst(2)) + flags
        let refused = try #require(throws: CommandError.self) { try BenchOptions.parsed(credential) }
        #expect(refused.status == .usage && refused.message.contains("--against-apple"))
        let madeUp = try #require(throws: CommandError.self) {
            try BenchOptions.parsed(credential + ["--against-apple"])
        }
        #expect(madeUp.status == .usage && madeUp.message.contains("--tokens"))
        _ = try BenchOptions.parsed(credential + ["--against-apple", "--tokens", "mine.csv"])
    }

    @Test(arguments: [
        "push.apple.com.example.org", "notpush.apple.com", "localhost", "171.1.1.1", "17.1.1", "17.example.com",
    ])
    func otherHostsAreNotApples(_ host: String) {
        #expect(!AppleHosts.contain(host))
    }

    @Test func tokensAreTheFirstColumnOfTheLines() throws {
        let (one, two) = (String(repeating: "a1", count: 32), String(repeating: "b2", count: 32))
        let tokens = try BenchWork.tokens(Array("token,topic\r\n\(one),x\r\n\n \(two) \n".utf8), name: "f")
        #expect(try tokens == [DeviceToken(one), DeviceToken(two)])
        #expect(try BenchWork.tokens(Array(one.utf8), name: "f").count == 1)
    }

    @Test(arguments: [("token\n", "no device token"), ("aa\nxyz\n", "line 2")])
    func aFileWithoutTokensIsInputThatCannotBeUsed(_ text: String, _ words: String) throws {
        let error = try #require(throws: CommandError.self) { try BenchWork.tokens(Array(text.utf8), name: "f") }
        #expect(error.status == .input && error.message.contains(words))
    }

    @Test func thePacerCallsInOrderNeverEarlyAndStopsWhenTold() {
        var calls: [(number: Int, due: UInt64, found: UInt64)] = []
        Pacer(interval: 10_000, step: 0).run { number, due, found in
            calls.append((number, due, found))
            return calls.count < 100
        }
        #expect(calls.map(\.number) == Array(0..<100))
        #expect(calls.allSatisfy { $0.due <= $0.found })
        #expect(calls.last.map { $0.due - calls[0].due } == 990_000)
    }
}
