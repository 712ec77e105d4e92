import PushQueue
import PushQueueRedis
import PushQueueSQLite

/// A queue that a command uses. The connections to its server end with it.
struct OpenQueue: Sendable {
    let store: any PushQueueStore
    /// Where it is, for a person.
    let place: String

    /// A queue that is open already.
    init(_ store: any PushQueueStore, place: String) { (self.store, self.place) = (store, place) }

    /// Nothing is sent or read yet.
    ///
    /// - Parameter makesFile: Whether a file that does not exist is made. Only a command that fills the queue, or works
    ///   it, makes one: another has a wrong name.
    /// - Throws: Exit code 66 if there is no such file, 78 if a file of TLS cannot be used.
    init(_ location: QueueLocation, name: String, makesFile: Bool) throws(CommandError) {
        place = "\(location)".onOneLine
        switch location {
        case .file(let path):
            guard makesFile || FileIdentity(at: path) != nil else {
                throw .input("there is no queue \(path); pushctl queue put makes it")
            }
            store = SQLiteQueue(path, name: name)
        case .redis(let address, let roots):
            var configuration = RedisConfiguration(address)
            configuration.tls.rootsFile = roots
            configuration.clientName = "pushctl"
            do throws(QueueError) { store = try RedisQueue(name, configuration: configuration) } catch {
                throw CommandError(error, place)
            }
        }
    }

    /// What an operator should know about the server, as sentences.
    var warnings: [String] { (store as? RedisQueue)?.warnings ?? [] }

    /// Runs work with the queue.
    static func with<Value>(
        _ options: QueueOptions, makesFile: Bool = false, _ work: (OpenQueue) async throws -> Value
    ) async throws -> Value {
        let queue = try OpenQueue(options.location(), name: options.name, makesFile: makesFile)
        do { return try await work(queue) } catch {
            throw (error as? QueueError).map { CommandError($0, queue.place) } ?? error
        }
    }
}

extension CommandError {
    /// What ended a run that uses a queue: no error passes as success.
    static func ending(_ error: any Error, _ place: String) -> CommandError {
        if let error = error as? CommandError { return error }
        if let error = error as? QueueError { return CommandError(error, place) }
        return CommandError(.unavailable, "the queue \(place): the run was ended early (\(type(of: error)))")
    }

    /// - Parameter place: Where the queue is.
    init(_ error: QueueError, _ place: String) {
        let status: ExitStatus =
            switch error.code {
            case .unreachable, .full, .lost, .fenced: .unavailable
            case .invalidEntry: .input
            case .refused, .failed: .configuration
            }
        // Most sentences of a store say where it is.
        let sentence = error.description
        self.init(status, sentence.contains(place) ? "queue: \(sentence)" : "the queue \(place): \(sentence)")
    }
}
