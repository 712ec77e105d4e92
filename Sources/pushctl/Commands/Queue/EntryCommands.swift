import ArgumentParser
import PushQueue

extension QueueCommand {
    /// Puts dead letters back.
    struct Requeue: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put dead letters back into the queue, and print their ids.",
            discussion: "Ends with 1 if one of them is no dead letter that can be read.")

        @Argument(help: "Ids of entries, as queue dead prints them.") var ids: [String] = []
        @OptionGroup var queue: QueueOptions
        @Flag(help: "All that can be read.") var all = false
        @Flag(help: "JSON lines on standard output.") var json = false

        func validate() throws {
            guard ids.isEmpty == all else {
                throw ValidationError(all ? "--all needs no id; give one or the other." : "Give ids, or --all.")
            }
        }

        func run() async throws {
            let given = try EntryIDs(ids)
            let changes = try await OpenQueue.with(queue) { queue in
                guard all else { return EntryChanges(given.ids, done: try await queue.store.requeue(given.ids)) }
                return try await EntryChanges.ofAll(queue.store)
            }
            try changes.print(done: "requeued", otherwise: "not_found", asJSON: json)
        }
    }

    /// Takes entries out.
    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove entries that no worker has taken, and print what was removed and what was too late.",
            discussion: "Ends with 1 if one was too late. What is removed gets no outcome.")

        @Argument(help: "Ids of entries, as queue put --ids prints them.") var ids: [String]
        @OptionGroup var queue: QueueOptions
        @Flag(help: "JSON lines on standard output.") var json = false

        func run() async throws {
            let given = try EntryIDs(ids)
            let changes = try await OpenQueue.with(queue) { queue in
                EntryChanges(given.ids, done: try await queue.store.cancel(given.ids))
            }
            try changes.print(done: "cancelled", otherwise: "too_late", asJSON: json)
        }
    }
}

/// Ids on the command line.
struct EntryIDs: Equatable {
    let ids: [EntryID]

    /// - Throws: Exit code 64.
    init(_ texts: [String]) throws(CommandError) {
        ids = try texts.map { text throws(CommandError) in
            guard let id = EntryID(text) else {
                throw .usage("'\(text.shortened(to: 40))' is no id of an entry; an id has 32 hexadecimal digits.")
            }
            return id
        }
    }
}

/// What became of entries.
struct EntryChanges {
    private static let page = 1_000

    private var ids: [EntryID]
    private var done: Set<EntryID>

    init(_ ids: [EntryID], done: [EntryID]) {
        self.ids = ids
        self.done = Set(done)
    }

    /// Puts all dead letters back that can be read, page by page.
    static func ofAll(_ store: any PushQueueStore) async throws(QueueError) -> EntryChanges {
        var changes = EntryChanges([], done: [])
        while true {
            // Those that cannot be read stay, and stand before others.
            let letters = try await store.deadLetters(limit: page + changes.unreadable)
            let ids = letters.compactMap { try? $0.entry.get().id }.filter { !changes.done.contains($0) }
            changes.unreadable = letters.count - ids.count
            guard !ids.isEmpty else { return changes }
            let done = try await store.requeue(ids)
            guard !done.isEmpty else { return changes }
            changes.ids += done
            changes.done.formUnion(done)
        }
    }

    private var unreadable = 0

    /// Prints a line for each id.
    ///
    /// - Throws: Exit code 1 if one was not done.
    func print(done word: String, otherwise other: String, asJSON: Bool) throws {
        var bytes: [UInt8] = []
        for id in ids {
            let result = done.contains(id) ? word : other
            if asJSON {
                var object = JSONLine()
                object.add("id", id.description)
                object.add("result", result)
                object.append(to: &bytes)
            } else {
                bytes += Array("\(id) \(result)\n".utf8)
            }
        }
        try OutputFile.standardOutput.write(bytes)
        if !Set(ids).isSubset(of: done) { throw ExitCode(ExitStatus.rejectedOrFailed.rawValue) }
    }
}
