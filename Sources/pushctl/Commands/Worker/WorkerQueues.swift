import ArgumentParser
import Logging
import PushCampaign
import PushTerminal
import SupervisedPush

/// One queue of a worker, and how its pushes go out.
struct WorkerQueue: Sendable {
    /// The queue's name, and its connection's.
    let name: String
    let connection: ConnectionOptions
    /// The settings of a file that have no flags; nil if the flags name the file.
    let file: ConfigurationFile?
    /// How fast all workers of the queue push together.
    let rate: RateSetting
    /// What the file says of it, without the rate; nil without a file.
    var settings: JSONValue?

    /// The configuration of its connection or pool.
    func config(_ logger: Logger) throws(CommandError) -> PushConnection.Configuration {
        try connection.requireTopic(recordsMayNameOne: true)
        var config = try connection.config(logger)
        guard let file else { return config }
        do { try config.addWhatOnlyFilesSay(file) } catch { throw CommandError(error) }
        // A refusal is one tenant's. The others go on, and a new key is read when its file changes.
        config.retry.onRefusedCredential = .suspend
        return config
    }
}

/// Reads which queues a worker pushes from.
enum WorkerQueues {
    /// The queue of the flags, or those of the file of `--queues`, sorted by name.
    ///
    /// - Throws: Exit code 78 if the file cannot be read, or contains invalid settings.
    static func of(_ options: WorkerOptions) throws(CommandError) -> [WorkerQueue] {
        guard let path = options.queues else {
            return [
                WorkerQueue(
                    name: options.queue.name, connection: options.connection, file: nil, rate: options.queueRate)
            ]
        }
        var queues: [WorkerQueue] = []
        let members = try members(of: path)
        for name in members.keys.sorted() {
            queues.append(
                try queue(
                    name, in: path, settings: members[name],
                    rate: rate(of: members[name], "\(path): \"\(name.shortened(to: 40))\""),
                    isVerbose: options.connection.verbose))
        }
        return queues
    }

    private static func members(of path: String) throws(CommandError) -> [String: JSONValue] {
        let bytes: [UInt8]
        do throws(CommandError) { bytes = try InputFile.contents(of: path, limit: 1 << 20) } catch {
            throw .configuration(error.message)
        }
        if let problem = JSONScanner.problem(inObject: bytes) { throw .configuration("\(path) \(problem)") }
        guard case .object(let members)? = JSONValue(parsing: bytes), !members.isEmpty else {
            throw .configuration("\(path) names no queue; write {\"NAME\": {\"key\": \"…\", …}, …}")
        }
        for name in members.keys where !QueuePlace.isName(name) {
            throw .configuration("\(path): \"\(name.shortened(to: 40))\" \(QueuePlace.nameProblem)")
        }
        return members
    }

    /// The rate of a queue; none if it has none, or is not an object, which is refused later.
    private static func rate(of settings: JSONValue?, _ place: String) throws(CommandError) -> RateSetting {
        guard case .object(let members)? = settings else { return RateSetting(perSecond: nil, burst: nil) }
        var perSecond: PushesPerSecond?
        if let value = members["rate"] {
            perSecond =
                switch value {
                case .string(let text): PushesPerSecond(argument: text)
                case .integer(let number): PushesPerSecond(argument: "\(number)")
                case .double(let number): PushesPerSecond(argument: "\(number)")
                default: nil
                }
            guard perSecond != nil else {
                throw .configuration("\(place): rate must be 0.001 to 10000000 pushes a second, as 500 or \"500/s\"")
            }
        }
        let burst = members["burst"]?.integerValue
        guard members["burst"] == nil || burst != nil else {
            throw .configuration("\(place): burst must be a number of pushes, 1 to 1000000")
        }
        let rate = RateSetting(perSecond: perSecond, burst: burst)
        do { try rate.check("rate", "burst") } catch {
            throw .configuration("\(place): \((error as? ValidationError)?.message ?? "\(error)")")
        }
        return rate
    }

    private static func withoutRate(_ settings: JSONValue?) -> JSONValue? {
        guard case .object(let members)? = settings else { return settings }
        return .object(members.filter { !rateNames.contains($0.key) })
    }

    /// The settings of a queue that are none of its connection.
    private static let rateNames: Set<String> = ["rate", "burst"]

    private static func queue(
        _ name: String, in path: String, settings: JSONValue?, rate: RateSetting, isVerbose: Bool
    ) throws(CommandError) -> WorkerQueue {
        let file: ConfigurationFile
        do { file = try ConfigurationFile(contentsOf: path, profile: name, besides: rateNames) } catch {
            throw .configuration(error.description)
        }
        do throws(CommandError) {
            if let key = ([.name] + ConfigurationKey.queuePlace).first(where: file.holds) {
                throw .configuration(
                    "\(key.rawValue) is not a queue's own; give it by a flag, a variable or --profile, for all of the file"
                )
            }
            var connection = try ConnectionOptions.parsed(file.arguments(leavingOut: []))
            connection.verbose = isVerbose
            _ = try connection.credential()
            // No file has been read yet that the settings name. What is wrong now is the file of the queues itself.
            var config = try connection.anonymousConfig(StandardErrorLog.logger { _ in })
            do { try config.addWhatOnlyFilesSay(file) } catch { throw CommandError(error) }
            return WorkerQueue(
                name: name, connection: connection, file: file, rate: rate, settings: Self.withoutRate(settings))
        } catch {
            throw .configuration("\(path): \"\(name.shortened(to: 40))\": \(error.message)")
        }
    }
}
