import ArgumentParser
import PushQueueRedis
import PushQueueSQLite

/// How much a queue keeps and what survives, for the commands that fill it and work it.
struct KeepingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("How many entries the queue may have; more are waited for. 1000000.", valueName: "n"))
    var maxEntries: Int?

    @Flag(help: "A file: what was put and stored survives a loss of power, too. Each commit waits for the disk.")
    var fsync = false

    @Option(
        help: ArgumentHelp(
            "Redis: how many replicas must have what was put and stored, before it counts as such.", valueName: "n"))
    var replicas: Int?

    init() {}

    func check(_ queue: QueueOptions) throws {
        if let maxEntries, maxEntries < 1 { throw ValidationError("--max-entries \(maxEntries) is below 1.") }
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

    var sqlite: SQLiteQueueOptions {
        var options = SQLiteQueueOptions()
        if fsync { options.durability = .machine }
        if let maxEntries { options.maxEntries = maxEntries }
        return options
    }

    var redis: RedisQueueOptions {
        var options = RedisQueueOptions()
        if let maxEntries { options.maxEntries = maxEntries }
        if let replicas { options.replicas = replicas }
        return options
    }
}
