import ArgumentParser
import PushCampaign
import PushQueue
import PushTerminal

/// `pushctl queue`: fills a queue, and looks at it. `pushctl worker` pushes from it.
struct QueueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Fill a queue that workers push from, and look at it.",
        discussion: """
            A queue is a file of SQLite, for the processes of one machine, or a stream of Redis or Valkey, for any \
            number of machines. See docs/worker.md.
            """,
        subcommands: [
            Put.self, Status.self, Outcomes.self, Feedback.self, Dead.self, Requeue.self, Discard.self, Cancel.self,
            Trim.self, Pause.self, Resume.self, Rate.self, Campaigns.self, Report.self, Find.self,
        ])

    struct Put: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put a push to every device token of a file into a queue.",
            discussion: """
                Records with the same notification share entries of up to 256 tokens. A full queue is waited for, up \
                to --max-wait. A run that ends early says from which line to go on.
                """)

        @OptionGroup var flags: PutFlags

        func run() async throws {
            let status = try await PutRun(flags).run()
            if status != .success { throw ExitCode(status.rawValue) }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print how full a queue is, which workers it has, and how its campaigns stand.")

        @OptionGroup var queue: QueueOptions
        @Flag(help: "A JSON line on standard output.") var json = false

        func run() async throws {
            let report = try await OpenQueue.with(queue) { queue in
                QueueReport(try await queue.store.status(), campaigns: try await queue.store.campaigns())
            }
            try Listing.print(json ? report.json : Array((report.text + "\n").utf8))
        }
    }

    struct Outcomes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print outcomes in the order they were stored, as CSV.",
            discussion: """
                The last line on standard error is the position after them, for --after. With --follow it goes on \
                until a signal comes. Where a flag leaves outcomes out, none counts as read.
                """)

        @OptionGroup var queue: QueueOptions
        @OptionGroup var list: OutcomeListOptions

        func run() async throws { try await OutcomePrinter(of: .all, in: queue, list).run() }
    }

    struct Feedback: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the outcomes that report an invalid device token, as CSV: 410 and BadDeviceToken.")

        @OptionGroup var queue: QueueOptions
        @OptionGroup var list: OutcomeListOptions

        func run() async throws { try await OutcomePrinter(of: .feedback, in: queue, list).run() }
    }
}
