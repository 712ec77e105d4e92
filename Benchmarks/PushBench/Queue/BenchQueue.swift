import ArgumentParser
import FoundationEssentials
import Glibc
import PushQueue
import PushQueueRedis
import PushQueueSQLite

/// Where a measured queue is kept.
enum QueueKind: String, CaseIterable, ExpressibleByArgument {
    case memory, sqlite, redis
}

/// An empty queue in a new file, or on a new Redis server that writes its log every second.
final class BenchQueue {
    let store: any PushQueueStore
    /// What another process opens it by; nil if none can.
    let location: String?
    /// It is removed at the end.
    let folder: URL
    private let server: Child?

    /// - Parameter redis: The command that starts a Redis server, without its flags.
    init(_ kind: QueueKind, maxEntries: Int, redis: String) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("pushbench-queue-\(EntryID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        switch kind {
        case .memory:
            (store, location, server) = (MemoryQueue(maxEntries: maxEntries), nil, nil)
        case .sqlite:
            let path = folder.appendingPathComponent("queue.db").path
            (store, location, server) = (try Self.open(path), path, nil)
        case .redis:
            let port = try Self.freePort()
            let url = "redis://127.0.0.1:\(port)"
            server = try Child(
                redis.split(separator: " ").map(String.init) + [
                    "--port", "\(port)", "--bind", "127.0.0.1", "--dir", folder.path, "--save", "",
                    "--appendonly", "yes", "--appendfsync", "everysec", "--maxmemory-policy", "noeviction",
                ], output: folder.appendingPathComponent("redis.log").path)
            (store, location) = (try Self.open(url), url)
        }
        // It waits for the server.
        do { _ = try await store.status() } catch {
            end()
            throw BenchError("the queue cannot be used: \(error)")
        }
    }

    /// A queue that another process has made.
    static func open(_ location: String) throws -> any PushQueueStore {
        if location.hasPrefix("redis:") {
            return try RedisQueue("bench", connection: .init(url: location))
        }
        return SQLiteQueue(location, name: "bench")
    }

    /// Removes it.
    func end() {
        server?.kill()
        try? FileManager.default.removeItem(at: folder)
    }

    private static func freePort() throws -> Int {
        let (descriptor, port) = try LoopbackSocket.listen(0)
        close(descriptor)
        return port
    }
}
