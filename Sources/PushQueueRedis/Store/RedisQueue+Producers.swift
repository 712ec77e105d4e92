import Foundation
import PushQueue

extension RedisQueue {
    /// Adds entries, all or none, in one script.
    ///
    /// - Throws: `full` if the queue would have more than ``RedisQueueOptions/maxEntries``, or the server has no memory
    ///   left; `invalidEntry` if an entry cannot be stored. Nothing was added.
    public func enqueue(_ entries: [QueueEntry]) async throws(QueueError) {
        guard !entries.isEmpty else { return }
        let limit = max(1, options.maxEntries)
        var arguments = [Array("\(limit)".utf8)]
        for entry in entries {
            let fields = try EntryFields.encode(entry)
            arguments.append(entry.notBefore.map { Array(Self.milliseconds($0).utf8) } ?? [])
            arguments.append(Array("\(fields.count * 2)".utf8))
            for field in fields {
                arguments.append(Array(field.name.utf8))
                arguments.append(field.value)
            }
        }
        guard try await run(.enqueue, arguments).number == 1 else {
            throw QueueError(
                .full,
                "The queue has no room for \(entries.count) more entries: it may have \(limit). Nothing was added. "
                    + "Wait until workers have pushed some, or raise maxEntries.")
        }
    }

    /// Removes entries that wait or are delayed. It looks at all of them, in pages: a million take the server seconds.
    public func cancel(_ entries: [EntryID]) async throws(QueueError) -> [EntryID] {
        guard !entries.isEmpty else { return [] }
        var removed: Set<String> = []
        let ids = entries.map(\.description)
        for part in ["later", "released", "new"] {
            var position = ""
            repeat {
                let reply = try await run(.cancel, texts: [part, position, "500"] + ids)
                removed.formUnion(reply[1].elements.compactMap(\.text))
                position = reply[0].text ?? ""
            } while !position.isEmpty
        }
        var seen: Set<EntryID> = []
        return entries.filter { removed.contains($0.description) && seen.insert($0).inserted }
    }

    /// A time in milliseconds, rounded up, so that nothing goes out before it. Digits only.
    static func milliseconds(_ date: Date) -> String {
        "\(Int64(min(max(0, (date.timeIntervalSince1970 * 1_000).rounded(.up)), 1e15)))"
    }
}
