import Logging
import SupervisedPush

/// One queue of a worker, and how its pushes go out.
struct WorkerQueue: Sendable {
    /// The queue's name, and its connection's.
    let name: String
    let connection: ConnectionOptions
    /// The settings of a file that have no flags; nil if the flags name the file.
    let file: ConfigurationFile?

    /// The configuration of its connection or pool.
    func config(_ logger: Logger) throws(CommandError) -> ConnectionConfig {
        try connection.requireTopic(recordsMayNameOne: true)
        var config = try connection.config(logger)
        guard let file else { return config }
        do { try config.addWhatOnlyFilesSay(file) } catch { throw CommandError(error) }
        // A refusal is one tenant's. The others go on, and a new key is read when its file changes.
        config.onRefusedCredential = .suspend
        return config
    }
}

/// Reads which queues a worker works.
enum WorkerQueues {
    /// The queue of the flags, or those of the file of `--queues`, sorted by name.
    ///
    /// - Throws: Exit code 78 if the file cannot be read, or contains invalid settings.
    static func of(_ options: WorkerOptions) throws(CommandError) -> [WorkerQueue] {
        guard let path = options.queues else {
            return [WorkerQueue(name: options.queue.name, connection: options.connection, file: nil)]
        }
        var queues: [WorkerQueue] = []
        for name in try names(in: path) { queues.append(try queue(name, in: path)) }
        return queues
    }

    private static func names(in path: String) throws(CommandError) -> [String] {
        let bytes: [UInt8]
        do throws(CommandError) { bytes = try InputFile.contents(of: path, limit: 1 << 20) } catch {
            throw .configuration(error.message)
        }
        if let problem = JSONScanner.problem(inObject: bytes) { throw .configuration("\(path) \(problem)") }
        guard case .object(let members)? = JSONValue(parsing: bytes), !members.isEmpty else {
            throw .configuration("\(path) names no queue; write {\"NAME\": {\"key\": \"…\", …}, …}")
        }
        for name in members.keys where name.isEmpty || name.contains(where: { "{}".contains($0) }) {
            throw .configuration("\(path): \"\(name.shortened(to: 40))\" is no name of a queue")
        }
        return members.keys.sorted()
    }

    private static func queue(_ name: String, in path: String) throws(CommandError) -> WorkerQueue {
        let file: ConfigurationFile
        do { file = try ConfigurationFile(contentsOf: path, profile: name) } catch { throw CommandError(error) }
        do throws(CommandError) {
            let connection = try ConnectionOptions.parsed(file.arguments(leavingOut: []))
            _ = try connection.credential()
            return WorkerQueue(name: name, connection: connection, file: file)
        } catch {
            throw .configuration("\(path): \"\(name.shortened(to: 40))\": \(error.message)")
        }
    }
}
