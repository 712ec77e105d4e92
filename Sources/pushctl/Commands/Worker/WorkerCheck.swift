import PushQueue
import PushQueueRedis
import PushTerminal
import SupervisedPush

/// `worker --check`: tries for each queue what its work needs. It takes nothing, makes no queue, and pushes to no device:
/// only a device token of zeros, as `doctor` does, shows whether APNs accepts a credential.
struct WorkerCheck: Sendable {
    /// How many queues are tried at a time.
    private static let width = 16

    private let options: WorkerOptions
    private let runtime = PushRuntime(.init(logger: nil))

    init(_ options: WorkerOptions) { self.options = options }

    /// Prints a line for each queue.
    ///
    /// - Returns: The exit code of the first that would not work.
    func run() async throws -> ExitStatus {
        let queues = try WorkerQueues.of(options)
        var problems: [String: CommandError] = [:]
        await withTaskGroup(of: (String, CommandError?).self) { group in
            for (index, queue) in queues.enumerated() {
                if index >= Self.width, let (name, problem) = await group.next() { problems[name] = problem }
                group.addTask { (queue.name, await problem(queue)) }
            }
            for await (name, problem) in group { problems[name] = problem }
        }
        await runtime.shutdown(within: .zero)
        let lines = queues.map { line($0.name, problems[$0.name]) }
        try OutputFile.standardOutput.write(lines.flatMap(\.self))
        return queues.lazy.compactMap { problems[$0.name]?.status }.first ?? .success
    }

    private func line(_ name: String, _ problem: CommandError?) -> [UInt8] {
        guard options.json else {
            return Array("\(name.onOneLine) \(problem.map { "FAIL \($0.message)" } ?? "ok")".onOneLine.utf8) + [
                ASCII.lineFeed
            ]
        }
        var object = JSONLine()
        object.add("queue", name)
        object.add("problem", problem?.message)
        return object.line
    }

    private func problem(_ queue: WorkerQueue) async -> CommandError? {
        do throws(CommandError) {
            try await tryStore(queue)
            try await tryConnection(queue)
            return nil
        } catch {
            return error
        }
    }

    // MARK: The store

    private func tryStore(_ queue: WorkerQueue) async throws(CommandError) {
        let open = try OpenQueue(options.queue.location(), name: queue.name)
        do throws(QueueError) {
            if let redis = open.store as? RedisQueue { return try await redis.checkServer() }
            if let absence = try await QueueAbsence.of(open, queue.name) {
                // The worker would make it.
                if options.create { return }
                throw QueueError(
                    .invalidEntry, absence.error(maker: "pushctl queue put, or a worker with --create,").message)
            }
            _ = try await open.store.status()
        } catch {
            throw CommandError(error, open.place)
        }
    }

    // MARK: APNs

    private func tryConnection(_ queue: WorkerQueue) async throws(CommandError) {
        var config = try queue.config(StandardErrorLog.logger { _ in })
        config.retry.onRefusedCredential = .giveUp
        let connection: PushConnection
        do throws(ConnectError) { connection = try runtime.connect(name: queue.name, config: config) } catch {
            throw CommandError(error)
        }
        do throws(NotUpError) {
            try await connection.waitUntilUp(timeout: queue.connection.connectTimeout.duration)
        } catch {
            throw CommandError(error.code == .credentialRefused ? .refused : .unavailable, error.description)
        }
        // Without a topic, each push of the queue names its own.
        guard queue.connection.topic != nil || queue.connection.key == nil else { return }
        try await push(connection)
    }

    private func push(_ connection: PushConnection) async throws(CommandError) {
        let response: PushResponse
        do {
            var notification = PushNotification.alert(title: "pushctl worker --check", body: "A push to no device")
            notification.expiration = Expiration(unixSeconds: 0)
            response = try await connection.push(notification, to: try DeviceToken(DoctorWalk.nowhere))
        } catch {
            let isRefused = (error as? PushError)?.code == .credentialRefused
            throw CommandError(isRefused ? .refused : .unavailable, "\(error)")
        }
        guard let reason = response.reason else { return }
        let words = reason.isKnown ? " \(reason.meaning) \(reason.remedy)" : ""
        let sentence = "APNs answered \(response.status) \(reason.rawValue).\(words)"
        if response.status == 403 { throw CommandError(.refused, sentence) }
        if LayerJudge.topicReasons.contains(reason.rawValue) { throw .configuration(sentence) }
    }
}
