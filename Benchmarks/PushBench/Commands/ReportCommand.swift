import ArgumentParser
import FoundationEssentials

/// `PushBench report`: medians of paired ratios and their spread.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Make Markdown tables of the lines that the other commands printed.")

    @Argument(help: "The file with the lines.")
    var file: String

    @Option(help: "A folder to draw charts in, too: SVG files, for light and dark pages.")
    var charts: String?

    func run() throws {
        var report = Report()
        let decoder = JSONDecoder()
        for line in try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n") where line.hasPrefix("{") {
            report.add(try decoder.decode(FigureLine.self, from: Data(line.utf8)))
        }
        print([report.goals, report.partLoad, report.everything].compactMap(\.self).joined(separator: "\n\n"))
        if let charts { try ReportCharts(report).write(to: charts) }
    }
}
