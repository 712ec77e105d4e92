import Dispatch
import FoundationEssentials
import PushLocking
import PushQueue
import PushSQLite

/// A queue in a file of SQLite, used by any number of processes on one machine.
///
/// The file holds the queues of several names. Its write-ahead log and its index are files beside it; they must be on a
/// local disk, not on a network's. The file is readable only by its owner: it holds device tokens and payloads.
///
/// An entry whose call of ``enqueue(_:)`` returned survives the end of every process. Whether it also survives a loss
/// of power is a matter of ``SQLiteQueue/Configuration/durability``.
///
/// Any number of tasks may call it. Calls run one after another on a Dispatch queue of its own, because they wait for
/// the disk and for other processes.
public final class SQLiteQueue: PushQueueStore {
    /// The file.
    public let path: String
    /// The name of the queue in the file.
    public let name: String
    private let configuration: Configuration
    private let now: @Sendable () -> Date
    private let line: DispatchQueue
    private let state = Confined()

    /// What is used only on `line`.
    private final class Confined: @unchecked Sendable {
        // Sendable: `SQLiteQueue` reads and writes it only in blocks that run on its serial Dispatch queue.
        var file: QueueFile?
        var watch = QueueWatch()
    }

    /// Makes a queue. The first call opens the file, or makes it.
    ///
    /// - Parameters:
    ///   - path: The file, in a folder that exists.
    ///   - name: The name of the queue: the connection or pool that its workers push through. Default: `push`, as that of
    ///     `pushctl`.
    ///   - configuration: How it keeps entries and outcomes.
    public convenience init(_ path: String, name: String = "push", configuration: Configuration = .init()) {
        self.init(path, name: name, configuration: configuration, now: { Date() })
    }

    package init(
        _ path: String, name: String, configuration: Configuration = .init(), now: @escaping @Sendable () -> Date
    ) {
        self.path = path
        self.name = name
        self.configuration = configuration
        self.now = now
        line = DispatchQueue(label: "push-queue.sqlite", target: .global(qos: .userInitiated))
    }

    // MARK: Calls

    /// Runs the step on the queue's own thread.
    func run<Result: Sendable>(
        _ step: @escaping @Sendable (QueueFile) throws -> Result
    ) async throws(QueueError) -> Result {
        let result = await withHandOver(of: Swift.Result<Result, QueueError>.self) { handOver in
            line.async { [self] in
                handOver.resume(returning: perform(step))
                look()
            }
        }
        return try result.get()
    }

    private func perform<Result>(_ step: (QueueFile) throws -> Result) -> Swift.Result<Result, QueueError> {
        do {
            let file = try opened()
            if file.isForOneLook { return .success(try look(at: file, step)) }
            do { return .success(try step(file)) } catch let error as SQLiteError where error.isFull {
                // What is settled must be stored even then: pushes that were answered would be pushed again.
                try file.makeRoom()
                return .success(try step(file))
            }
        } catch {
            if !QueueFailure.isHarmless(error) { state.file = nil }
            return .failure(QueueFailure.translate(error, at: path, configuration: configuration))
        }
    }

    /// Reads a file that no other process has open. If one opens it meanwhile, it is read again.
    private func look<Result>(at file: QueueFile, _ step: (QueueFile) throws -> Result) throws -> Result {
        defer { state.file = nil }
        var (file, tries) = (file, 1)
        while true {
            let result = Swift.Result { try step(file) }
            // A file that changed may have been read in part before and in part after.
            if file.isUnchanged || !file.isForOneLook || tries == 10 { return try result.get() }
            (file, tries) = (try open(), tries + 1)
        }
    }

    /// The file, opened when it is first used, and again after an error that a connection does not survive.
    private func opened() throws -> QueueFile {
        guard let file = state.file else { return try open() }
        if file.isCurrent { return file }
        state.file = nil
        // Only this call can tell of the loss, whether or not a file can be made. If not, the next call tells why.
        if configuration.creates { _ = try? open() }
        throw QueueFailure.isGone(path)
    }

    private func open() throws -> QueueFile {
        let file = try QueueFile(path, name: name, configuration: configuration, now: now)
        state.file = file
        return file
    }

    // MARK: Waiting

    /// Returns when there may be something to take, and after `time` at the latest. Ends early if the task is
    /// cancelled.
    func watch(upTo time: Duration) async throws(QueueError) {
        let waiter = QueueWaiter(upTo: time)
        let result = await withTaskCancellationHandler {
            await withHandOver(of: Result<Void, QueueError>.self) { handOver in
                line.async { [self] in
                    state.watch.add(waiter, handOver: handOver)
                    look()
                }
            }
        } onCancel: {
            waiter.cancel()
            line.async { [self] in look() }
        }
        try result.get()
    }

    /// Ends the waits that are over. If some are left it looks again later: other processes put entries in, too.
    private func look() {
        state.watch.endThoseOver(.now())
        guard !state.watch.isEmpty else { return }
        switch perform({ file in try file.nextWork() }) {
        case .failure(let error): state.watch.endAll(.failure(error))
        case .success(0): state.watch.endAll(.success(()))
        case .success(let milliseconds):
            guard let timer = state.watch.nextTimer(milliseconds, .now()) else { return }
            line.asyncAfter(deadline: timer.time) { [self] in
                if state.watch.fire(timer.number) { look() }
            }
        }
    }
}
