import Foundation
import SupervisedPush
import Testing

@testable import pushctl

/// The pages about push types: what each command sends is the JSON below it, and keeps the rules of its type.
@Suite("parity: P1, R8 – docs/push-types") struct PushTypePageTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("docs/push-types")

    /// A kind of push: its heading, and the page that has it.
    struct Kind: CustomTestStringConvertible, Sendable {
        let title: String
        let page: String

        var testDescription: String { title }

        init(_ title: String, on page: String) { (self.title, self.page) = (title, page) }
    }

    private static let kinds =
        ["Alert", "Background", "Live Activity", "Call (VoIP)", "Widgets", "Controls"].map { Kind($0, on: "README.md") }
        + ["Push to Talk", "Complication", "Location", "File provider", "Accessory", "MDM", "Safari", "Wallet"].map {
            Kind($0, on: "special.md")
        }

    private static func text(_ page: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(page), encoding: .utf8)
    }

    /// What stands below each heading of a page, in the page's order.
    private static func sections(of page: String) throws -> [(title: String, text: String)] {
        try text(page).components(separatedBy: "\n## ").dropFirst().map { section in
            let lines = section.split(separator: "\n", maxSplits: 1)
            return (String(lines[0]), String(lines[1]))
        }
    }

    private func blocks(_ language: String, of kind: Kind) throws -> [String] {
        let section = try #require(Self.sections(of: kind.page).first { $0.title == kind.title })
        return section.text.components(separatedBy: "```\(language)\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0]
        }
    }

    /// The arguments as a shell reads them.
    private func arguments(_ command: String) throws -> [String] {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/bash")
        shell.arguments = ["-c", "pushctl() { printf '%s\\0' \"$@\"; }; \(command)"]
        let output = Pipe()
        shell.standardOutput = output
        try shell.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        shell.waitUntilExit()
        return data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: kinds) func theCommandSendsTheSample(kind: Kind) throws {
        let commands = try blocks("sh", of: kind)
        let samples = try blocks("json", of: kind)
        #expect(!commands.isEmpty && commands.count == samples.count)
        for (command, sample) in zip(commands, samples) {
            let words = try arguments(command)
            #expect(words.first == "send")
            let options = try SendOptions.parsed(
                Array(words.dropFirst()) + [
                    "--key", "AuthKey_ABC123DEFG.p8", "--team-id", "T", "--topic", "com.example.app",
                ])
            let notification = try SendPayload(options, now: 0).notification()
            try notification.validate(defaults: .init(topic: "com.example.app"))
            let sent = try JSONSerialization.jsonObject(with: Data(notification.payload.bytes)) as? NSDictionary
            let shown = try JSONSerialization.jsonObject(with: Data(sample.utf8)) as? NSDictionary
            #expect(sent == shown)
        }
    }

    @Test func everyKindIsInTheTableAndEveryTypeHasOne() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(files) == Set(Self.kinds.map(\.page)))
        let titles = try Set(files).flatMap { try Self.sections(of: $0).map(\.title) }
        #expect(Set(titles) == Set(Self.kinds.map(\.title) + ["Trying them"]))
        let table = try Self.text("README.md")
        for kind in Self.kinds { #expect(table.contains("| [\(kind.title)](")) }
        for type in PushType.known { #expect(table.contains("| `\(type)` |")) }
    }
}
