import PushTerminal
import SupervisedPush
import Testing

@testable import pushctl

@Suite("parity: F11 – the flags of channels and broadcast") struct ChannelOptionsTests {
    private let token = ["--key", "AuthKey_ABC123DEFG.p8", "--team-id", "DEF123GHIJ", "--topic", "com.example.app"]

    @Test func aPortThatIsNotGivenIsTold() throws {
        #expect(try ConnectionOptions.parsed(token).givenPort == nil)
        #expect(try ConnectionOptions.parsed(token).port == 443)
        let own = try ConnectionOptions.parsed(token + ["--port", "443"])
        #expect(own.givenPort == 443 && own.port == 443)
    }

    @Test func aBroadcastTakesAChannelAndAPayload() throws {
        let options = try BroadcastOptions.parsed(["AAAA+/==", "--payload", "p.json"] + token)
        #expect(try options.channelID() == ChannelID("AAAA+/=="))
        #expect(options.payload == "p.json" && options.priority == nil && options.expiration == nil && !options.json)
        let own = try BroadcastOptions.parsed(
            ["AAAA", "--payload", "-", "--priority", "5", "--expiration", "0", "--json"] + token)
        #expect(own.priority == 5 && own.expiration == 0 && own.json)
    }

    @Test(
        arguments: [
            (["AA AA", "--payload", "p"], "standard base64"), (["", "--payload", "p"], "channel id is empty"),
            (["AAAA"], "payload"), (["AAAA", "--payload", "p", "--priority", "7"], "10, 5 or 1"),
            (["AAAA", "--payload", "p", "--expiration=-1"], "below 0"),
            (["AAAA", "--payload", "p", "--request-id", "x"], "is not a UUID"),
            (["AAAA", "--event", "end", "--sound", "s"], "needs --title or --body"),
        ])
    func whatABroadcastCannotBeIsAUsageError(arguments: [String], words: String) {
        let error = #expect(throws: CommandError.self) { _ = try BroadcastOptions.parsed(arguments + token) }
        #expect(error?.status == .usage && error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test func theBodyOfABroadcastIsCutTo5120Bytes() throws {
        let arguments = ["AAAA", "--event", "end", "--body", String(repeating: "a", count: 6_000)] + token
        func count(_ more: [String]) throws -> Int {
            try SendPayload(BroadcastOptions.parsed(arguments + more), now: 0).notification().payload.count
        }
        #expect(try count([]) > 6_000 && count(["--fit", "reject"]) > 6_000)
        #expect(try count(["--fit", "truncate-body"]) == 5_120)
    }

    @Test func withAKeyTheBundleIDMustBeGiven() {
        let arguments = Array(token.prefix(4))
        let channels = #expect(throws: CommandError.self) { _ = try ChannelOptions.parsed(arguments) }
        #expect(channels?.status == .usage && channels?.message.contains("--topic") == true)
        let broadcast = #expect(throws: CommandError.self) {
            _ = try BroadcastOptions.parsed(["AAAA", "--payload", "p"] + arguments)
        }
        #expect(broadcast?.status == .usage && broadcast?.message.contains("--topic") == true)
        let pool = #expect(throws: CommandError.self) {
            _ = try ChannelOptions.parsed(token + ["--connections", "3"])
        }
        #expect(pool?.status == .usage)
    }
}
