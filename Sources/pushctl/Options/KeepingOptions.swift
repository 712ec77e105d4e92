import ArgumentParser
import PushCampaign
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

    @Option(
        help: ArgumentHelp(
            "How many outcomes the queue keeps; then the oldest are removed. It is stored in the queue. Default 1000000.",
            valueName: "n"))
    var maxOutcomes: Int?

    init() {}

    func check(_ queue: QueuePlace) throws {
        if let maxOutcomes, maxOutcomes < 1 {
            throw ValidationError("--max-outcomes \(maxOutcomes) is below 1.")
        }
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
    func sqlite(maxEntries: Int?) -> SQLiteQueue.Configuration {
        var options = SQLiteQueue.Configuration()
        if fsync { options.durability = .machine }
        options.maxOutcomes = maxOutcomes
        if let maxEntries { options.maxEntries = maxEntries }
        return options
    }

    /// - Parameter maxEntries: How many entries the queue may have, for a command that adds some.
    func redis(maxEntries: Int?) -> RedisQueue.Configuration {
        var options = RedisQueue.Configuration()
        options.maxOutcomes = maxOutcomes
        if let maxEntries { options.maxEntries = maxEntries }
        if let replicas { options.replicas = replicas }
        return options
    }
}
