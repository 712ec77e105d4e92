import PushCampaign
import PushLocking
import PushQueue
import PushQueueRedis
import PushQueueSQLite
import PushTerminal

/// A queue that a command uses. The connections to its server end with it.
struct OpenQueue: Sendable {
    let store: any PushQueueStore
    /// Where it is, for a person.
    let place: String

    /// Whether what is put makes the queue there, without a call for it.
    private let isOnServer: Bool

    /// A queue that is open already.
    init(_ store: any PushQueueStore, place: String) {
        (self.store, self.place) = (store, place)
        isOnServer = false
    }

    /// Nothing is sent or read yet.
    ///
    /// - Parameters:
    ///   - creates: Whether the first call makes a file that does not exist, or a queue in it.
    ///   - keeping: How it is kept. Commands that only look at it have no flags for that.
    ///   - maxEntries: How many entries it may have, for a command that adds some.
    /// - Throws: Exit code 78 if a file of TLS cannot be used.
    init(
        _ location: QueueLocation, name: String, creates: Bool = false, keeping: KeepingOptions? = nil,
        maxEntries: Int? = nil
    ) throws(CommandError) {
        place = "\(location)".onOneLine
        switch location {
        case .file(let path):
            isOnServer = false
            var options = keeping?.sqlite(maxEntries: maxEntries) ?? SQLiteQueue.Configuration()
            options.creates = creates
            store = SQLiteQueue(path, name: name, configuration: options)
        case .redis(let address, let tls):
            isOnServer = true
            Self.warn(address, tls)
            var connection = RedisConnection.Configuration(address)
            connection.tls = tls
            connection.clientName = "pushctl"
            do throws(QueueError) {
                let options = keeping?.redis(maxEntries: maxEntries) ?? RedisQueue.Configuration()
                store = try RedisQueue(name, connection: connection, configuration: options)
            } catch {
                throw CommandError(error, place)
            }
        }
    }

    /// Warns once of each secret file that others may read.
    private static func warn(_ address: RedisServerAddress, _ tls: RedisTLS) {
        let logger = StandardErrorLog.logger { StandardError.write($0) }
        func isNew(_ path: String) -> Bool { told.withLock { $0.insert(path).inserted } }
        for path in [address.password?.openFile, address.sentinels?.password?.openFile] {
            if let path, isNew(path) { logger.warnOfPasswordFile(path) }
        }
        if let key = tls.openKeyFile, isNew(key) { logger.warnOfKeyFile(key) }
    }

    private static let told = Locked<Set<String>>([])

    /// What an operator should know about the server, as sentences.
    var warnings: [String] { (store as? RedisQueue)?.warnings ?? [] }

    // MARK: Commands

    /// Runs work with a queue that exists: another name is wrong.
    ///
    /// - Throws: Exit code 66 if there is no such queue.
    static func with<Value>(
        _ options: QueueOptions, _ work: (OpenQueue) async throws -> Value
    ) async throws -> Value {
        let queue = try OpenQueue(options.location(), name: options.name)
        return try await translating(queue) {
            if let absence = try await QueueAbsence.of(queue, options.name) { throw absence.error() }
            return try await work(queue)
        }
    }

    /// Runs `queue put` with its queue, and makes the queue if it does not exist.
    ///
    /// A queue that does not answer is asked again, as long as `put` repeats a batch.
    ///
    /// - Parameters:
    ///   - say: Told what was made, and why it waits.
    ///   - work: Gets the status before anything is put, and what it says once something was.
    static func making<Value>(
        _ flags: PutFlags, say: (String) -> Void, _ work: (OpenQueue, QueueStatus, String?) async throws -> Value
    ) async throws -> Value {
        let name = flags.queue.name
        let queue = try OpenQueue(
            flags.queue.location(), name: name, creates: true, keeping: flags.keeping, maxEntries: flags.maxEntries)
        return try await translating(queue) {
            let (absence, status) = try await repeating(queue.place, say) { () async throws(QueueError) in
                let absence = try await QueueAbsence.of(queue, name)
                // The first call makes it, and says what is wrong with it.
                if let limit = flags.keeping.maxOutcomes { try await queue.store.limitOutcomes(to: limit) }
                return (absence, try await queue.store.status())
            }
            let creation = absence.map { "pushctl: \($0.creation)".onOneLine }
            // A file is there now. On a server, what is put makes the queue, if the server takes it.
            guard queue.isOnServer else {
                if let creation { say(creation) }
                return try await work(queue, status, nil)
            }
            return try await work(queue, status, creation)
        }
    }

    private static func repeating<Value>(
        _ place: String, _ say: (String) -> Void, _ call: () async throws(QueueError) -> Value
    ) async throws -> Value {
        let stopwatch = Stopwatch()
        var patience = PutPatience(maxWait: 0, start: 0)
        while true {
            let calledAt = stopwatch.seconds
            do throws(QueueError) { return try await call() } catch {
                guard case .again(let left) = patience.failed(error.code, calledAt: calledAt, now: stopwatch.seconds)
                else { throw error }
                if let left { say(PutPatience.line(error, place, left: left)) }
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// The queue of a worker.
    ///
    /// - Parameters:
    ///   - name: The queue's name.
    ///   - say: Told what is made.
    /// - Throws: Exit code 66 if there is no such queue in a file, unless it may be made.
    static func forWorker(
        _ options: WorkerOptions, _ name: String, say: (String) -> Void
    ) async throws(CommandError) -> OpenQueue {
        var place = options.queue
        place.name = name
        let queue = try OpenQueue(place.location(), name: name, creates: options.create, keeping: options.keeping)
        let absence: QueueAbsence?
        do throws(QueueError) { absence = try await QueueAbsence.of(queue, name) } catch {
            // A worker waits for a server.
            guard error.code == .unreachable else { throw CommandError(error, queue.place) }
            return queue
        }
        guard let absence else { return queue }
        // On a server, a worker may be there before the first producer.
        guard options.create || queue.isOnServer else {
            throw absence.error(maker: "pushctl queue put, or a worker with --create,")
        }
        say("pushctl: \(absence.creation)".onOneLine)
        return queue
    }

    private static func translating<Value>(
        _ queue: OpenQueue, _ work: () async throws -> Value
    ) async throws -> Value {
        do { return try await work() } catch {
            throw (error as? QueueError).map { CommandError($0, queue.place) } ?? error
        }
    }
}
