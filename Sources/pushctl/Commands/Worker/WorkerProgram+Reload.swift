import Dispatch
import Glibc
import PushLocking
import PushTerminal

/// SIGHUP to a worker with `--queues`: its file is read again.
extension WorkerProgram {
    /// The signals that end it.
    var stopSignals: [StopSignal] { StopSignal.takenHere().filter { options.queues == nil || $0 != .hangUp } }

    /// An element for each SIGHUP; nil without a file. Several during one change are one.
    func hangUps() -> AsyncStream<Void>? {
        guard options.queues != nil else { return nil }
        let (hangUps, hangUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        SignalSources([SIGHUP], on: DispatchQueue(label: "pushctl.hangUps")) { _ in hangUp.yield() }.keep()
        return hangUps
    }

    /// Reads the file again, and works as it says now.
    func reload() async {
        guard let path = options.queues, let set = tenantSet, !set.isStopping else { return }
        manager?.reloading()
        defer { manager?.reloaded() }
        let queues: [WorkerQueue]
        do throws(CommandError) { queues = try WorkerQueues.of(options) } catch {
            return log(
                LogLine("pushctl: \(path) read again, and nothing is changed: \(error.message)".onOneLine, .error))
        }
        let settings = QueueSettings.all(queues)
        let changes = known.withLock { known in
            defer { known = settings }
            return QueueChanges(from: known, to: settings)
        }
        log(LogLine("pushctl: \(path) read again: \(changes.text)".onOneLine))
        await set.apply(changes, to: queues, within: options.connection.drain.duration)
    }
}

extension QueueSettings {
    /// Those of all queues, by their names.
    static func all(_ queues: [WorkerQueue]) -> [String: QueueSettings] {
        Dictionary(queues.map { ($0.name, QueueSettings(connection: $0.settings, rate: $0.rate)) }) { first, _ in first
        }
    }
}
