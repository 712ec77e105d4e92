import ArgumentParser
import PushQueue
import PushTerminal

extension QueueCommand {
    /// Takes entries out.
    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove entries that no worker has taken, by their ids or of a campaign.",
            discussion: """
                With --campaign, or with --all for each that is not over, it removes what no worker has of the campaign, prints \
                how the campaign stands then, and a later queue put under this name is refused.

                Prints ID cancelled, ID taken (a worker has it, or one that died may have sent it: it goes out), or ID \
                not_found (it has its outcomes, is a dead letter, or was never there). Ends with 1 unless all were cancelled. What is removed gets no outcome.
                """)

        @Argument(help: "Ids of entries, as queue put --ids prints them.") var ids: [String] = []
        @OptionGroup var queue: QueueOptions
        @OptionGroup var choice: CampaignChoice
        @Flag(help: "In place of ids: all campaigns that are not over. Needs --yes.") var all = false
        @Flag(help: "With --all: do it.") var yes = false
        @Flag(help: "JSON lines on standard output.") var json = false

        func validate() throws {
            let ways = [!ids.isEmpty, choice.campaign != nil, all].filter(\.self).count
            guard ways == 1 else { throw ValidationError("Give ids of entries, --campaign NAME, or --all --yes.") }
            if all != yes { throw ValidationError("--all goes with --yes: it cancels all campaigns of the queue.") }
        }

        func run() async throws {
            if ids.isEmpty {
                return try await CampaignSteering(queue, json).print(.cancel, choice.campaign.map { [$0] })
            }
            let given = try EntryIDs(ids)
            let lines = try await OpenQueue.with(queue) { queue in
                ResultLines(given.ids, try await queue.store.cancel(given.ids))
            }
            try lines.print(asJSON: json)
        }
    }
}

/// Ids on the command line.
struct EntryIDs: Equatable {
    /// Each once, in the order that was given.
    let ids: [EntryID]

    /// - Throws: Exit code 64.
    init(_ texts: [String]) throws(CommandError) {
        var ids: [EntryID] = []
        var seen: Set<EntryID> = []
        for text in texts {
            guard let id = EntryID(text) else {
                throw .usage("'\(text.shortened(to: 40))' is not a valid entry ID; an ID has 32 hexadecimal digits.")
            }
            if seen.insert(id).inserted { ids.append(id) }
        }
        self.ids = ids
    }
}

extension ResultLines {
    /// What became of entries that were to be cancelled.
    init(_ ids: [EntryID], _ cancellation: Cancellation) {
        let (removed, taken) = (Set(cancellation.removed), Set(cancellation.taken))
        self.init(
            done: .cancelled,
            ids.map { id in
                // One of two entries with an id may be removed, and the other one taken: that one still goes out.
                let word: Word = taken.contains(id) ? .taken : removed.contains(id) ? .cancelled : .notFound
                return Line(name: id.description, members: [("id", id.description)], word: word)
            })
    }
}
