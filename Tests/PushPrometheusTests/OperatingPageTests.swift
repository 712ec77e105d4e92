import Foundation
import PushPrometheus
import Testing

/// Alerts, dashboard and pages name exactly what is exported.
@Suite struct OperatingPageTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let article = "Sources/SupervisedPush/SupervisedPush.docc/Operating.md"

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The metrics that a text names.
    private static func metrics(in text: String) -> Set<String> {
        let names = text.matches(of: /(?:supervised_push|push_simulator)_[a-z_]+/).map { String($0.output) }
        return Set(
            names.filter { !$0.hasSuffix("_") }.map { name in
                for suffix in ["_bucket", "_sum", "_count"] where name.hasSuffix(suffix) {
                    return String(name.dropLast(suffix.count))
                }
                return name
            })
    }

    @Test(arguments: [
        "docs/operating/alerts.yml", "docs/operating/dashboard.json", "docs/operating/README.md", article,
        "Sources/SupervisedPush/SupervisedPush.docc/WatchingAConnection.md",
    ])
    func namesOnlyWhatIsExported(path: String) throws {
        let named = Self.metrics(in: try Self.text(path))
        #expect(
            !named.isEmpty && named.isSubset(of: PrometheusHelp.sentences.keys),
            "\(named.subtracting(PrometheusHelp.sentences.keys))")
    }

    @Test func allThatIsExportedIsOnAPage() throws {
        let pages = ["docs/operating/README.md", "Sources/SupervisedPush/SupervisedPush.docc/WatchingAConnection.md"]
        let named = try pages.map { Self.metrics(in: try Self.text($0)) }.reduce(Set()) { $0.union($1) }
        #expect(Set(PrometheusHelp.sentences.keys).subtracting(named).isEmpty)
    }

    @Test func theRulesAreThoseOfTheArticle() throws {
        let article = try Self.text(Self.article).replacing("\\|", with: "|")
        let rules = try Self.text("docs/operating/alerts.yml").split(separator: "\n").filter { $0.contains("expr: '") }
        #expect(rules.count >= 14)
        for rule in rules {
            let expression = rule.split(separator: "'").dropFirst().joined(separator: "'")
            #expect(article.contains("`\(expression)`"), "\(expression)")
        }
    }
}
