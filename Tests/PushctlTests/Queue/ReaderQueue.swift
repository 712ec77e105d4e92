import Foundation
import PushLocking
import PushQueue
import QueueTestSupport

/// A queue in memory whose outcomes a test decides.
struct ReaderQueue: ForwardingQueue {
    typealias Read = @Sendable (String?) async throws(QueueError) -> OutcomePage

    let target: any PushQueueStore
    private let read: Read
    /// How many reads counted as read.
    let markings = Locked(0)
    /// The dead letters that cannot be read.
    let damaged = Locked(Set<DeadLetter.Key>())
    /// How many calls of `enqueue` are carried out and not answered.
    let lostAnswers = Locked(0)

    init(_ memory: MemoryQueue = MemoryQueue(), _ read: @escaping Read) { (target, self.read) = (memory, read) }

    func outcomes(
        _ list: OutcomeList, after position: String?, limit: Int, marking: Bool
    ) async throws(QueueError) -> OutcomePage {
        if marking { markings.withLock { $0 += 1 } }
        return try await read(position)
    }

    func enqueue(_ entries: [QueueEntry]) async throws(QueueError) {
        try await target.enqueue(entries)
        let isLost = lostAnswers.withLock { count in
            defer { count = max(0, count - 1) }
            return count > 0
        }
        if isLost { throw QueueError(.unreachable, "The answer was lost.") }
    }

    func deadLetters(limit: Int) async throws(QueueError) -> [DeadLetter] {
        let damaged = damaged.withLock { $0 }
        return try await target.deadLetters(limit: limit).map { letter in
            guard damaged.contains(letter.key) else { return letter }
            return DeadLetter(letter.key, .failure(QueueError(.failed, "It is damaged.")), reason: letter.reason)
        }
    }
}

/// A folder that ends with the test.
final class Scratch {
    private let folder = NSTemporaryDirectory() + "/pushctl-tests-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// A file in it.
    var path: String { folder + "/file" }
}
