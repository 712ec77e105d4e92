import Foundation
import Testing

@testable import PushInspection

/// What a stranger wrote, where it could do harm.
@Suite("What is copied") struct QuotingTests {
    static let texts = [
        "", "plain", "it's", "'", "''", "\"", "a\nb", "a\r\nb", "`id`", "$(id)", "${HOME}", "$HOME", "\\", "\\'", "!!",
        "it's !!",
        "\u{1B}[201~rm -rf /\n", "\u{1B}]0;x\u{7}", "a\tb", "\u{202E}txt", "\u{2028}", "é🙂", "-n", "@/etc/passwd",
        "a b", "*?[a]~",
        "\u{7F}", "#x", "\\u{41}", "\\(1)", "\"\"\"", "\u{0301}x", "'; rm -rf /; '", "\\x41", "%s%n",
    ]

    private func run(_ shell: String, _ command: String) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/" + shell)
        process.arguments = ["-c", command]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    @Test func isOneWordOfAShellThatPrintsTheSame() throws {
        let words = Self.texts.map { Quoting.shell($0) }
        let printed = try run("bash", "printf '%s\\0' " + words.joined(separator: " "))
        #expect(
            printed.split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(String.init) == Self.texts)
    }

    @Test(arguments: texts) func hasNothingThatControlsATerminalOrRecallsACommand(_ text: String) {
        for word in [Quoting.shell(text), Quoting.swift(text)] {
            let isPrintable = word.unicodeScalars.allSatisfy { scalar in
                ![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
            }
            #expect(isPrintable, "\(word)")
        }
        let word = Quoting.shell(text)
        #expect(!word.dropFirst(word.hasPrefix("$") ? 2 : 1).dropLast().contains("'"), "\(word)")
    }

    @Test func escapesBytesThatAreNoText() throws {
        #expect(Quoting.shell([0x61, 0xFF, 0x0A]) == #"$'a\377\012'"#)
    }

    @Test(arguments: texts) func isALiteralOfSwiftThatMeansTheSame(_ text: String) throws {
        let literal = Quoting.swift(text)
        #expect(literal.utf8.first == UInt8(ascii: "\"") && literal.utf8.last == UInt8(ascii: "\""))
        #expect(try Self.value(of: literal) == text)
    }

    /// What the compiler reads. A quotation mark inside, or another escape than these, is an error.
    private static func value(of literal: String) throws -> String {
        var value = ""
        var rest = literal.unicodeScalars.dropFirst().dropLast()
        while let scalar = rest.popFirst() {
            try #require(scalar != "\"")
            guard scalar == "\\" else {
                value.unicodeScalars.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "\"": value += "\""
            case "\\": value += "\\"
            case "u":
                let digits = rest.dropFirst().prefix { $0 != "}" }
                let number = try #require(UInt32(String(String.UnicodeScalarView(digits)), radix: 16))
                value.unicodeScalars.append(try #require(Unicode.Scalar(number)))
                rest = rest.dropFirst(digits.count + 2)
            case let other: Issue.record("\\\(other.map(String.init) ?? "")")
            }
        }
        return value
    }

    @Test func isAPartOfAPath() {
        #expect(Quoting.path("aabb") == "aabb" && Quoting.path("a/b?c#d e") == "a%2Fb%3Fc%23d%20e")
        #expect(Quoting.path("{1,2}[a]\n\"$") == "%7B1%2C2%7D%5Ba%5D%0A%22%24")
    }

    // MARK: A whole push

    private func copy(
        _ payload: String, topic: String = "com.example.app", token: String? = "aabb", isWhole: Bool = true
    ) -> PushCopy {
        PushCopy(
            deviceToken: token, channelID: token == nil ? "dHN0" : nil, bundleID: topic,
            headers: [
                ("apns-topic", topic), ("apns-push-type", "alert"), ("apns-priority", "5"),
                ("authorization", "bearer SECRET"),
                ("x-other", "y"),
            ],
            payload: Array(payload.utf8), isWhole: isWhole)
    }

    @Test func runsNothingOfThePushAndSendsItsPayload() throws {
        let folder = NSTemporaryDirectory() + "/copy-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let payload = #"{"aps":{"alert":"it's $(touch \#(folder)/run) `touch \#(folder)/run` \u001b[201~"}}"#
        let copy = copy(payload, topic: "$(touch \(folder)/run)'", token: "'; touch \(folder)/run; '")
        // In place of the programs, which print their input and their arguments.
        let stand = "pushctl() { cat; printf '|%s' \"$@\"; }; curl() { printf '|%s' \"$@\"; }\n"
        let sent = try run("bash", stand + copy.pushctl)
        #expect(sent.hasPrefix(payload + "|send|--payload=-|--topic=$(touch \(folder)/run)'|"), "\(sent)")
        #expect(sent.hasSuffix("|--|'; touch \(folder)/run; '"), "\(sent)")
        let requested = try run("bash", stand + copy.curl)
        #expect(requested.contains("|--data-raw|" + payload + "|https://api.sandbox.push.apple.com/3/device/%27%3B"))
        #expect(!FileManager.default.fileExists(atPath: folder + "/run"))
    }

    @Test func neverHasTheProviderToken() {
        for text in [copy("{}").curl, copy("{}").pushctl, copy("{}").swift] {
            #expect(!text.contains("SECRET") && !text.contains("x-other"))
        }
        #expect(copy("{}").curl.contains("$(pushctl token "))
    }

    @Test func saysThatThePayloadWasCut() {
        let copy = copy("{", isWhole: false)
        #expect(copy.curl.hasPrefix("# Only the first 1 bytes") && copy.swift.hasPrefix("// Only the first 1 bytes"))
    }

    @Test func isABroadcastOnItsChannel() {
        let copy = copy("{}", token: nil)
        #expect(copy.curl.hasSuffix("/4/broadcasts/apps/com.example.app"))
        #expect(copy.pushctl.contains("pushctl broadcast") && copy.swift.contains("connection.broadcast("))
    }
}
