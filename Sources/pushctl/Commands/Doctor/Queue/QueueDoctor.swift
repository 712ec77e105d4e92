import PushCampaign
import PushLocking
import PushQueue
import PushQueueRedis
import PushQueueSQLite
import PushTerminal

/// `pushctl doctor --queue`: examines a queue, and changes nothing.
final class QueueDoctor: Sendable {
    private let location: QueueLocation
    private let queue: OpenQueue
    private let isJSON: Bool
    private let facts: Locked<QueueFacts>

    init(_ location: QueueLocation, _ options: DoctorOptions) throws(CommandError) {
        self.location = location
        isJSON = options.json
        queue = try OpenQueue(location, name: options.name)
        var facts = QueueFacts(place: queue.place, name: options.name, isServer: location.isServer)
        facts.failsOnWarning = options.failOn == .warning
        self.facts = Locked(facts)
    }

    func run() async throws(CommandError) -> ExitStatus {
        let watch = Stopwatch()
        let (events, happened) = AsyncStream<Void>.makeStream()
        let signals = SignalWatcher.forCommand(onFirst: { _ in happened.finish() }, onInsisting: {})
        let waiting = WaitingLine()
        waiting.show("waiting for \(queue.place)")
        let work = Task {
            await examine()
            happened.finish()
        }
        for await _ in events {}
        work.cancel()
        waiting.clear()
        var facts = facts.withLock { $0 }
        facts.signal = signals.first
        let diagnosis = QueueDiagnosis(facts)
        let text = diagnosis.text(.standardOutput)
        try OutputFile.standardOutput.write(isJSON ? diagnosis.json(watch.elapsed) : Array(text.utf8))
        return diagnosis.status
    }

    private func examine() async {
        let store = await examineStore()
        facts.withLock { $0.store = store }
        let name = facts.withLock { $0.name }
        switch store {
        case .redis(let redis) where redis.isThere && redis.wrongTypes.isEmpty: break
        case .file(let file) where file.names.contains(name) && file.problems.isEmpty: break
        // The call would make the queue, or fail.
        case .redis, .file, .missing, .failed: return
        }
        let status: Result<QueueStatus, QueueError>
        do throws(QueueError) { status = .success(try await queue.store.status()) } catch { status = .failure(error) }
        facts.withLock { $0.status = status }
    }

    private func examineStore() async -> QueueFacts.Store {
        do throws(QueueError) {
            if let redis = queue.store as? RedisQueue { return .redis(try await redis.examine()) }
            guard case .file(let path) = location, try QueueAbsence.hasFile(path) else { return .missing }
            // It reads the whole file.
            let result = await OwnThread("pushctl.doctor").run { () -> Result<SQLiteQueueFacts, QueueError> in
                do throws(QueueError) { return .success(try SQLiteQueue.examine(path)) } catch {
                    return .failure(error)
                }
            }
            return .file(try result.get())
        } catch {
            return .failed(error)
        }
    }
}
