import ArgumentParser
import PushQueueRedis
import PushQueueSQLite

/// What of a queue survives, for the commands that store something in it.
struct KeepingOptions: ParsableArguments {
    @Flag(help: "A file: what was put and stored survives a loss of power, too. Each commit waits for the disk.")
    var fsync = false

    @Option(
        help: ArgumentHelp(
            "Redis: how many replicas must have what was put and stored, before it counts as such.", valueName: "n"))
    var replicas: Int?

    init() {}

    func check(_ queue: QueueOptions) throws {
        if let replicas, !(1...100).contains(replicas) {
            throw ValidationError("--replicas \(replicas) is out of range; give 1 to 100.")
        }
        switch try? queue.location() {
        case .file where replicas != nil:
            throw ValidationError("--replicas goes with a queue on Redis, not with a file.")
        case .redis where fsync:
            throw ValidationError(
                "--fsync goes with a file. On Redis, appendonly and appendfsync of the server say what survives.")
        default: break
        }
    }

    /// - Parameter maxEntries: How many entries the queue may have, for a command that adds some.
    func sqlite(maxEntries: Int?) -> SQLiteQueueOptions {
        var options = SQLiteQueueOptions()
        if fsync { options.durability = .machine }
        if let maxEntries { options.maxEntries = maxEntries }
        return options
    }

    /// - Parameter maxEntries: How many entries the queue may have, for a command that adds some.
    func redis(maxEntries: Int?) -> RedisQueueOptions {
        var options = RedisQueueOptions()
        if let maxEntries { options.maxEntries = maxEntries }
        if let replicas { options.replicas = replicas }
        return options
    }
}
