import Foundation
import SupervisedPush
import Testing

@testable import pushctl

/// The pages about push types: what each command sends is the JSON below it, and keeps the rules of its type.
@Suite("parity: P1, R8 – docs/push-types") struct PushTypePageTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("docs/push-types")

    private static let pages = [
        "alert", "background", "live-activity", "voip", "push-to-talk", "complication", "widgets", "controls",
        "location",
        "file-provider", "mdm", "safari", "wallet",
    ]

    private func blocks(_ language: String, of page: String) throws -> [String] {
        let text = try String(contentsOf: Self.folder.appendingPathComponent(page + ".md"), encoding: .utf8)
        return text.components(separatedBy: "```\(language)\n").dropFirst().map {
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

    @Test(arguments: pages) func theCommandSendsTheSample(page: String) throws {
        let commands = try blocks("sh", of: page)
        let samples = try blocks("json", of: page)
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

    @Test func everyPageIsInTheTableAndEveryTypeHasOne() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0 != "README.md" }
        #expect(Set(files) == Set(Self.pages.map { $0 + ".md" }))
        let table = try String(contentsOf: Self.folder.appendingPathComponent("README.md"), encoding: .utf8)
        for page in Self.pages { #expect(table.contains("(\(page).md)")) }
        for type in PushType.known { #expect(table.contains("| `\(type)` |")) }
    }
}
