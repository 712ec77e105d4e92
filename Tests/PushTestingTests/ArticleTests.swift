import Foundation
import PushTesting
import Testing

/// The article "Testing with the simulator" says what the code does.
@Suite struct ArticleTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    private static func article() throws -> String {
        try text("Sources/SupervisedPush/SupervisedPush.docc/TestingWithTheSimulator.md")
    }

    /// Lines without indentation, each ended.
    private static func flat(_ text: String) -> String {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) + "\n" }.joined()
    }

    @Test func everySampleIsCompiledAndRun() throws {
        let code = Self.flat(
            try Self.text("Tests/PushTestingTests/ArticleSamples.swift")
                + Self.text("Tests/PushTestingTraitsTests/TraitTests.swift"))
        let samples = try Self.article().components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0]
        }
        // The first is for Package.swift.
        #expect(samples.first?.hasPrefix(".testTarget(") == true)
        #expect(samples.count == 16)
        for sample in samples.dropFirst() {
            #expect(code.contains(Self.flat(sample)), "not in ArticleSamples.swift:\n\(sample)")
        }
    }

    @Test("the pages name every special device token", arguments: SimulatedDevice.allCases)
    func thePagesNameEverySpecialDeviceToken(_ device: SimulatedDevice) throws {
        guard device != .valid else { return }
        #expect(try Self.article().contains("| `\(device.rawValue)…` | `.\(device)` |"))
        #expect(try Self.text("docs/simulator-script.md").contains("| `\(device.rawValue)…` |"))
        #expect(try Self.text("Sources/pushctl/Commands/Simulate/SimulateCommand.swift").contains(device.rawValue))
    }
}
