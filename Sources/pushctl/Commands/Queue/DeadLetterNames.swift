import ArgumentParser
import PushCampaign
import PushQueue
import PushTerminal

/// Dead letters on a command line, each by its key or by the id of its entry.
struct DeadLetterNames {
    typealias Change = ([DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key]

    /// How many dead letters are looked at at once.
    private static let page = 1_000
    /// How many are looked through for an id. A queue keeps 10,000 by default.
    private static let most = 100_000

    /// Each once, in the order that was given.
    let names: [String]

    init(_ names: [String]) {
        var seen: Set<String> = []
        self.names = names.filter { seen.insert($0).inserted }
    }

    static func check(_ names: [String], _ all: Bool) throws {
        guard names.isEmpty == all else {
            throw ValidationError(all ? "--all needs no key; give one or the other." : "Give keys or ids, or --all.")
        }
    }

    // MARK: By name

    func requeue(_ store: any PushQueueReader) async throws(QueueError) -> ResultLines {
        try await change(store, .requeued) { keys throws(QueueError) in try await store.requeue(keys) }
    }

    func discard(_ store: any PushQueueReader) async throws(QueueError) -> ResultLines {
        try await change(store, .discarded) { keys throws(QueueError) in try await store.discard(keys) }
    }

    private func change(
        _ store: any PushQueueReader, _ word: ResultLines.Word, _ change: Change
    ) async throws(QueueError) -> ResultLines {
        let ids = Set(names.compactMap { EntryID($0) })
        var letters: [EntryID: [DeadLetter.Key]] = [:]
        if !ids.isEmpty {
            for letter in try await store.deadLetters(limit: Self.most) {
                guard let id = try? letter.entry.get().id, ids.contains(id) else { continue }
                letters[id, default: []].append(letter.key)
            }
        }
        // What has the form of an id and is none may be a key all the same.
        let keys = names.map { name in
            EntryID(name).flatMap { letters[$0] } ?? [DeadLetter.Key(name)]
        }
        let done = Set(try await change(keys.filter { $0.count == 1 }.flatMap(\.self)))
        return ResultLines(
            done: word,
            zip(names, keys).map { name, keys in
                guard keys.count == 1 else { return Self.line(name, nil, .ambiguous) }
                return Self.line(name, keys[0], done.contains(keys[0]) ? word : .notFound)
            })
    }

    private static func line(_ name: String, _ key: DeadLetter.Key?, _ word: ResultLines.Word) -> ResultLines.Line {
        ResultLines.Line(name: name, members: [("name", name), ("key", key?.description)], word: word)
    }

    // MARK: All

    /// Puts all dead letters back that can be read. Others would soon be dead again.
    static func requeueAll(_ store: any PushQueueReader) async throws(QueueError) -> ResultLines {
        try await changeAll(store, .requeued, isMeant: { (try? $0.entry.get()) != nil }) { keys throws(QueueError) in
            try await store.requeue(keys)
        }
    }

    static func discardAll(_ store: any PushQueueReader) async throws(QueueError) -> ResultLines {
        try await changeAll(store, .discarded, isMeant: { _ in true }) { keys throws(QueueError) in
            try await store.discard(keys)
        }
    }

    private static func remaining(_ count: Int) -> String {
        let letters = count == 1 ? "1 dead letter" : "\(Figures.grouped(count)) dead letters"
        return "pushctl: \(letters) cannot be read and \(count == 1 ? "stays" : "stay"); "
            + "pushctl queue discard removes \(count == 1 ? "it" : "them")"
    }

    /// Changes as many as there are now, oldest first: later ones are not meant.
    private static func changeAll(
        _ store: any PushQueueReader, _ word: ResultLines.Word, isMeant: (DeadLetter) -> Bool, _ change: Change
    ) async throws(QueueError) -> ResultLines {
        var lines: [ResultLines.Line] = []
        var left = try await store.status().dead
        var passedBy = 0
        while left > 0 {
            // Those that are not meant stay, and stand before others.
            let letters = try await store.deadLetters(limit: passedBy + min(page, left))
            guard letters.count > passedBy else { break }
            let next = letters.dropFirst(passedBy)
            let meant = next.filter(isMeant)
            left -= next.count
            passedBy += next.count - meant.count
            let done = Set(try await change(meant.map(\.key)))
            for letter in meant where done.contains(letter.key) {
                let id = try? letter.entry.get().id.description
                lines.append(line(id ?? letter.key.description, letter.key, word))
            }
            if done.isEmpty, !meant.isEmpty { break }
        }
        return ResultLines(done: word, lines, note: passedBy > 0 ? remaining(passedBy) : nil)
    }
}
