import Foundation
import Glibc
import PushQueue
import PushQueueSQLite
import PushSQLite
import Testing

@Suite struct MissingFileTests {
    private let bench = QueueBench()

    private var strict: SQLiteQueue.Configuration {
        var options = SQLiteQueue.Configuration()
        options.creates = false
        return options
    }

    @Test func aFileThatIsMissingIsNotMadeUnlessAsked() async throws {
        let queue = bench.queue("shop", strict)
        let error = await error { _ = try await queue.status() }
        #expect(error?.code == .refused && error?.description.contains("no queue file \(bench.path)") == true)
        #expect(!FileManager.default.fileExists(atPath: bench.path))
        try await bench.queue("shop").enqueue([entry()])
        #expect(try await queue.status().waiting == 1)
    }

    @Test func anEmptyFileIsNotMadeAQueueUnlessAsked() async throws {
        try Data().write(to: URL(fileURLWithPath: bench.path))
        let error = await error { _ = try await bench.queue("shop", strict).status() }
        #expect(error?.code == .refused && error?.description.contains("empty") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: bench.path)).isEmpty)
    }

    @Test func aNameThatIsMissingIsNotMadeUnlessAsked() async throws {
        let queues = [bench.queue("shop"), bench.queue("news")]
        for queue in queues { try await queue.enqueue([entry()]) }
        let error = await error { _ = try await bench.queue("shpo", strict).status() }
        #expect(error?.code == .refused)
        #expect(error?.description == "The file \(bench.path) has no queue named 'shpo'. It has: 'news', 'shop'.")
        #expect(try bench.database().integer("SELECT count(*) FROM queues") == 2)
        // Until here: who closes the file last keeps it locked for a moment.
        _ = queues
    }

    @Test func aFileThatIsRemovedIsLostAndNotMadeUnlessAsked() async throws {
        try await bench.queue().enqueue([entry()])
        let queue = bench.queue("push", strict)
        #expect(try await queue.status().waiting == 1)
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: bench.path + suffix) }
        #expect(await error { _ = try await queue.status() }?.code == .lost)
        #expect(await error { _ = try await queue.status() }?.code == .refused)
        #expect(!FileManager.default.fileExists(atPath: bench.path))
    }

    @Test func aFileThatIsRemovedIsLostAlsoWhereItCannotBeMadeAgain() async throws {
        let folder = bench.folder + "/queues"
        func makeFolder() throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        }
        try makeFolder()
        let queue = bench.queue(path: folder + "/pushes.db")
        try await queue.enqueue([entry()])
        try FileManager.default.removeItem(atPath: folder)
        #expect(await error { _ = try await queue.status() }?.code == .lost)
        let error = await error { _ = try await queue.status() }
        #expect(error?.code == .failed && error?.description.contains("in a folder that exists") == true)
        try makeFolder()
        #expect(try await queue.status().waiting == 0)
    }

    @Test(arguments: [true, false]) func aFolderIsNoQueue(_ creates: Bool) async throws {
        let queue = bench.queue("push", creates ? .init() : strict, path: bench.folder)
        let error = await error { try await queue.open(as: .ann) }
        #expect(error?.code == .refused && error?.description.contains("\(bench.folder) is a folder") == true)
    }

    @Test func aPipeIsNoQueue() async throws {
        #expect(mkfifo(bench.path, 0o600) == 0)
        let error = await error { try await bench.queue().open(as: .ann) }
        #expect(error?.code == .refused && error?.description.contains("is not a regular file") == true)
    }
}
