import FoundationEssentials
import PushQueue
import SupervisedPush

extension RedisQueue {
    /// The entries that have this token without an outcome. The server looks at all entries, in pages: a million tokens take it
    /// about a second, in which it answers others between two pages.
    public func entries(with token: DeviceToken, limit: Int) async throws(QueueError) -> [FoundEntry] {
        var found: [FoundEntry] = []
        for part in ["later", "new", "pending", "dead"] {
            var position = ""
            repeat {
                let reply = try await run(.find, texts: [part, position, "500", token.hex.lowercased()])
                found += reply[1].elements.compactMap { Self.found(token, $0) }
                guard found.count < max(1, limit) else { return Array(found.prefix(max(1, limit))) }
                position = reply[0].text ?? ""
            } while !position.isEmpty
        }
        return found
    }

    private static func found(_ token: DeviceToken, _ reply: RedisReply) -> FoundEntry? {
        guard let taken = StoredEntry(reply[0])?.taken, let word = reply[1].text, let detail = reply[2].text else {
            return nil
        }
        let due = Date(timeIntervalSince1970: (Double(detail) ?? 0) / 1_000)
        let place: FoundEntry.Place =
            switch word {
            case "scheduled": .scheduled(until: due)
            case "retrying": .retrying(until: due)
            case "taken": .taken(by: WorkerID(detail))
            case "dead": .dead(detail)
            default: .waiting
            }
        return FoundEntry(token, in: taken.entry, settled: taken.settled, place: place)
    }
}
