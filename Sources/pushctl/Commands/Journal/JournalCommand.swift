import ArgumentParser
import PushTerminal

/// `pushctl journal`: what a journal knows.
struct JournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Show what a journal of bulk knows.",
        discussion: """
            A journal is an SQLite database: sqlite3 FILE 'SELECT * FROM open' works too, even while a run uses it. \
            See docs/bulk.md.
            """,
        subcommands: [Status.self, Outcomes.self])

    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the input, the counts by outcome, and what is left.")

        @Argument(help: "The journal.") var file: String
        @Flag(help: "A JSON line on standard output.") var json = false

        func run() throws {
            let report = try JournalReport(file)
            try Listing.print(json ? report.json : Array((report.text + "\n").utf8))
        }
    }

    struct Outcomes: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the rows as CSV: the outcomes file, as far as the journal knows it.")

        @Argument(help: "The journal.") var file: String

        func run() throws { try JournalReport(file).printRows() }
    }
}
