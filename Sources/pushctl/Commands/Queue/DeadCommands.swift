import ArgumentParser
import PushQueue
import PushTerminal

extension QueueCommand {
    struct Dead: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the dead letters: entries that cannot be read, or that three workers died with.")

        @OptionGroup var queue: QueueOptions
        @Option(help: ArgumentHelp("Print this many, oldest first.", valueName: "n")) var limit = 1_000
        @Flag(help: "JSON lines on standard output.") var json = false

        func validate() throws {
            if limit < 1 { throw ValidationError("--limit \(limit) is below 1.") }
        }

        func run() async throws {
            let (letters, count) = try await OpenQueue.with(queue) { queue in
                (try await queue.store.deadLetters(limit: limit), try await queue.store.status().dead)
            }
            try Listing.print(DeadLetterList(letters).lines(asJSON: json))
            if let line = DeadLetterList.rest(printed: letters.count, of: count) { StandardError.write(line) }
        }
    }

    /// Puts dead letters back.
    struct Requeue: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put dead letters back into the queue, and print what became of each.",
            discussion: """
                Prints NAME requeued, NAME not_found, or NAME ambiguous (several dead letters have this id: give a key). \
                Ends with 1 unless all were requeued.
                """)

        @Argument(help: "Keys or ids of dead letters, as queue dead prints them.") var names: [String] = []
        @OptionGroup var queue: QueueOptions
        @Flag(help: "All that can be read.") var all = false
        @Flag(help: "JSON lines on standard output.") var json = false

        func validate() throws { try DeadLetterNames.check(names, all) }

        func run() async throws {
            let lines = try await OpenQueue.with(queue) { queue in
                guard all else { return try await DeadLetterNames(names).requeue(queue.store) }
                return try await DeadLetterNames.requeueAll(queue.store)
            }
            try lines.print(asJSON: json)
        }
    }

    /// Removes dead letters.
    struct Discard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove dead letters for good, and print what became of each.",
            discussion: """
                Prints NAME discarded, NAME not_found, or NAME ambiguous (several dead letters have this id: give a \
                key). Ends with 1 unless all were removed. Their outcomes stay.
                """)

        @Argument(help: "Keys or ids of dead letters, as queue dead prints them.") var names: [String] = []
        @OptionGroup var queue: QueueOptions
        @Flag(help: "All of them; needs --yes.") var all = false
        @Flag(help: "With --all: do it.") var yes = false
        @Flag(help: "JSON lines on standard output.") var json = false

        func validate() throws {
            try DeadLetterNames.check(names, all)
            if all, !yes { throw ValidationError("--all removes all dead letters for good; add --yes to do it.") }
            if yes, !all { throw ValidationError("--yes goes with --all.") }
        }

        func run() async throws {
            let lines = try await OpenQueue.with(queue) { queue in
                guard all else { return try await DeadLetterNames(names).discard(queue.store) }
                return try await DeadLetterNames.discardAll(queue.store)
            }
            try lines.print(asJSON: json)
        }
    }
}
