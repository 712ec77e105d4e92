import Foundation
import Testing

@testable import PushSimulator

/// The page about scripts: every sample on it is read, and every fault has one.
@Suite struct ScriptPageTests {
    /// The blocks of JSON of the page: whole scripts, or single rules.
    private static func samples() throws -> [String] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appendingPathComponent("docs/simulator-script.md"), encoding: .utf8)
        return page.components(separatedBy: "```json\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0]
        }
    }

    private static func scripts() throws -> [FaultScript] {
        try samples().map { sample in
            let isWhole = sample.contains("\"rules\"")
            return try FaultScript(json: (isWhole ? sample : "{\"rules\": [\(sample)]}").utf8)
        }
    }

    @Test func everySampleIsRead() throws {
        for sample in try Self.samples() {
            let isWhole = sample.contains("\"rules\"")
            #expect(throws: Never.self, "\(sample)") {
                _ = try FaultScript(json: (isWhole ? sample : "{\"rules\": [\(sample)]}").utf8)
            }
        }
    }

    @Test func everyFaultHasASample() throws {
        let text = try Self.samples().joined(separator: "\n")
        for name in Set(FaultReader.plain.keys).union(FaultReader.valued) {
            #expect(text.contains("\"\(name)\""), "\(name) has no sample")
        }
        let faults = try Self.scripts().flatMap(\.rules).map(\.fault)
        for fault in TLSFault.allCases { #expect(faults.contains(.tls(fault)), "\(fault)") }
        for kind in Flood.Kind.allCases {
            #expect(faults.contains { if case .flood(let flood) = $0 { flood.kind == kind } else { false } }, "\(kind)")
        }
        for extent in HalfAnswer.Extent.allCases {
            #expect(
                faults.contains { if case .halfAnswer(let half) = $0 { half.extent == extent } else { false } },
                "\(extent)")
        }
        let page = try Self.samples().joined()
        for name in ["noStatus", "upperCaseName", "contentLength", "headerBlock", "dataBeforeHeaders", "windowUpdate"] {
            #expect(page.contains("\"\(name)\""), "\(name)")
        }
    }

    @Test func everyTriggerHasASample() throws {
        let rules = try Self.scripts().flatMap(\.rules)
        let names = Set(
            rules.map { rule in
                switch rule.trigger {
                case .connecting: "connecting"
                case .connected: "connected"
                case .at: "at"
                case .push: "push"
                case .pushNumber: "pushNumber"
                case .everyPush: "everyPush"
                case .overallPush: "overallPush"
                case .everyOverallPush: "everyOverallPush"
                case .pushTo: "pushTo"
                }
            })
        #expect(names.count == 9)
        #expect(rules.contains { $0.between != nil } && rules.contains { $0.probability < 1 })
    }
}
