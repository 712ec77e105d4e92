import ArgumentParser
import Foundation
import PushInspection
import PushTerminal
import Testing

@testable import pushctl

/// The flags of the inbox.
@Suite("The flags of an inbox") struct InboxOptionsTests {
    private func failure(_ arguments: [String], of command: String = "simulate") -> String {
        do {
            _ = try Pushctl.parseAsRoot([command] + arguments)
            return ""
        } catch { return Pushctl.message(for: error) }
    }

    @Test(arguments: [
        ("127.0.0.1:0", "127.0.0.1", 0), ("localhost:8035", "localhost", 8035), ("[::1]:65535", "::1", 65535),
        ("0.0.0.0:1", "0.0.0.0", 1),
    ])
    func anAddressHasAPort(_ text: String, _ host: String, _ port: Int) {
        #expect(InboxAddress(text) == InboxAddress(host: host, port: port))
    }

    @Test(arguments: [
        "", "8035", ":8035", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1", "::1:80",
        "[::1]", "[]:1",
        "inbox.test:80", "http://127.0.0.1:80",
    ])
    func aTextWithoutBothIsNone(_ text: String) {
        #expect(InboxAddress(text) == nil)
        #expect(failure(["--inbox", text]).contains("is not an address and a port"))
    }

    @Test func anAddressThatOthersReachNeedsAToken() {
        #expect(failure(["--inbox", "0.0.0.0:0"]).contains("give --inbox-token-file"))
        #expect(failure(["--inbox", "0.0.0.0:0", "--inbox-token-file", "token"]).isEmpty)
        #expect(failure(["--inbox", "0.0.0.0:0"], of: "inbox").contains("give --inbox-token-file"))
        #expect(failure(["--inbox", "127.0.0.7:0"]).isEmpty && failure(["--inbox", "[::1]:0"]).isEmpty)
    }

    @Test func theOtherFlagsNeedAnInbox() {
        #expect(failure(["--inbox-host", "a"]).contains("go with --inbox"))
        #expect(failure(["--inbox-token-file", "a"]).contains("go with --inbox"))
        #expect(failure(["--inbox-host", "a"], of: "inbox").isEmpty)
        #expect(failure(["--inbox", "127.0.0.1:0", "--inbox-host", "a:80"]).contains("neither a host name nor"))
        #expect(failure(["--inbox", "127.0.0.1:0", "--inbox-host", "a", "--inbox-host", "b.test"]).isEmpty)
    }

    @Test func aTokenIsTheFirstLineOfItsFile() throws {
        let path = NSTemporaryDirectory() + "/token-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        for (text, token) in [
            ("secret\n", "secret"), ("secret\r\nmore", "secret"), ("secret", "secret"), ("", nil), ("\nsecret", nil),
            ("a b", nil),
            ("é", nil), (String(repeating: "x", count: 1_025), nil),
        ] as [(String, String?)] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            let options = try InboxOptions.parse(["--inbox", "0.0.0.0:0", "--inbox-token-file", path])
            if let token {
                #expect(try InboxPlan(options, at: []).token == token)
            } else {
                let error = #expect(throws: CommandError.self) { try InboxPlan(options, at: []) }
                #expect(error?.status == .configuration && error?.message.contains("secret") == false)
            }
        }
    }

    @Test func whatToTryIsQuoted() {
        let greeting = InboxGreeting(
            inbox: "http://127.0.0.1:8035", needsToken: true,
            variables: [
                ("PUSHCTL_SIMULATOR_HOST", "::1"), ("PUSHCTL_SIMULATOR_PORT", "2197"), ("PUSHCTL_CONFIG", "/a b/$(id)"),
            ])
        #expect(greeting.text.contains("export PUSHCTL_CONFIG='/a b/$(id)'\n"))
        #expect(
            greeting.text.contains("https://[::1]:2197/3/device/aabb") && greeting.text.contains("asks for the token"))
    }
}
