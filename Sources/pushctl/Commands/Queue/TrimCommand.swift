import ArgumentParser
import FoundationEssentials
import PushQueue
import PushTerminal

extension QueueCommand {
    /// Removes outcomes that were read.
    struct Trim: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove outcomes that were read, by age or by position, and print how many.",
            discussion: """
                An outcome counts as read when queue outcomes has printed it. What was not read stays. Outcomes that were \
                stored together are removed together.

                Examples:
                  pushctl queue trim --queue pushes.db --before 7d
                """)

        @OptionGroup var queue: QueueOptions
        @Option(
            help: ArgumentHelp(
                "Those stored before this time: 7d, 12h, 15m or 90s ago, UNIX seconds, or 2026-11-23T18:00:00Z.",
                valueName: "time"), transform: QueueTime.init)
        var before: QueueTime?
        @Option(
            help: ArgumentHelp("Those up to this position, which queue outcomes has printed.", valueName: "position"))
        var upTo: String?
        @Flag(help: "Of the list of queue feedback, which is one of its own.") var feedback = false
        @Flag(help: "A JSON line on standard output.") var json = false

        func validate() throws {
            guard (before == nil) != (upTo == nil) else { throw ValidationError("Give --before or --up-to.") }
        }

        func run() async throws {
            let bound = bound(Date())
            let removed = try await OpenQueue.with(queue) { queue in
                var removed = 0
                while true {
                    let count = try await trim(queue.store, bound)
                    if count == 0 { return removed }
                    removed += count
                }
            }
            var object = JSONLine()
            object.add("removed", removed)
            let text = "removed \(Figures.grouped(removed))\n"
            try OutputFile.standardOutput.write(json ? object.line : Array(text.utf8))
        }

        private func bound(_ now: Date) -> OutcomeBound {
            if let upTo { return .upTo(position: upTo) }
            return .before(before?.date(before: now) ?? .distantPast)
        }

        private func trim(_ store: any PushQueueReader, _ bound: OutcomeBound) async throws -> Int {
            do throws(QueueError) { return try await store.trim(feedback ? .feedback : .all, bound) } catch {
                guard error.code == .invalidEntry else { throw error }
                throw CommandError.usage("--up-to: \(error)")
            }
        }
    }
}
