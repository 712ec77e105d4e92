import PushCampaign
import PushQueue
import PushQueueRedis
import PushQueueSQLite
import PushTerminal

/// A queue that is not there: its file, or a queue of this name in the file or on the server.
struct QueueAbsence: Equatable, Sendable {
    /// The queue's name; nil if there is no file.
    let name: String?
    let place: String
    /// The names of other queues in the file.
    var others: [String] = []

    /// Nil if the queue is there.
    static func of(_ queue: OpenQueue, _ name: String) async throws(QueueError) -> QueueAbsence? {
        if let redis = queue.store as? RedisQueue {
            return try await redis.exists() ? nil : QueueAbsence(name: name, place: queue.place)
        }
        guard let file = queue.store as? SQLiteQueue else { return nil }
        guard try hasFile(file.path) else { return QueueAbsence(name: nil, place: queue.place) }
        let names = try SQLiteQueue.names(in: file.path)
        return names.contains(name) ? nil : QueueAbsence(name: name, place: queue.place, others: names)
    }

    /// Whether the file of a queue is there.
    static func hasFile(_ path: String) throws(QueueError) -> Bool {
        guard !FileIdentity.isFolder(path) else {
            throw QueueError(.refused, "\(path) is a folder, so it is not a queue. Name a file.")
        }
        return FileIdentity(at: path) != nil
    }

    private var what: String { name.map { "the queue \($0.shortened(to: 60)) in \(place)" } ?? place }

    /// Exit code 66.
    ///
    /// - Parameter maker: The command that makes one.
    func error(maker: String = "pushctl queue put") -> CommandError {
        let subject = name == nil ? "there is no queue \(place)" : "\(what) does not exist"
        let names = others.isEmpty ? "" : " (there is \(others.prefix(5).joined(separator: ", ")))"
        return .input("\(subject)\(names); \(maker) makes it")
    }

    /// What was done about it.
    var creation: String { "created \(what)" }
}
