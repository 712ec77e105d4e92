import Foundation
import Glibc
import PushQueue
import PushQueueSQLite
import TestSupport
import Testing

/// What one may do who has not all rights to the files. Each step runs in a process that has given its rights away.
@Suite struct RightsTests {
    private let bench = QueueBench()

    /// Makes a queue with one push that waits and one outcome.
    private func fill() async throws {
        let queue = bench.queue()
        try await queue.enqueue([entry(), entry()])
        try await queue.settle(as: .ann, queue.take(as: .ann, tokens: 1).map { try $0.delivered() })
        try await queue.leave(as: .ann)
    }

    /// A queue that no process has open.
    private func fillAndClose() async throws {
        try await fill()
        // The files beside it go when the last connection ends, a moment after the last call.
        try await until { try bench.files.count <= 1 }
        try bench.allow(0o444)
    }

    @Test func aQueueInUseCanBeReadByThoseWhoMayNotWriteIt() async throws {
        let open = bench.queue()
        try await open.enqueue([entry()])
        try await fill()
        try bench.allow(0o444)
        #expect(try bench.files.count == 3)
        await #expect(processExitsWith: .success) { [path = bench.path as String] in try await read(path, 2) }
        #expect(try await open.status().waiting == 2)
    }

    @Test func aQueueThatNoProcessHasOpenCanBeReadByThoseWhoMayNotWriteIt() async throws {
        try await fillAndClose()
        #expect(try bench.files == ["pushes.db"])
        await #expect(processExitsWith: .success) { [path = bench.path as String] in try await read(path, 1) }
        // Files of another owner would keep the queue's own workers out.
        #expect(try bench.files == ["pushes.db"])
    }

    @Test func whoMayOnlyReadSeesWhatIsPutInLater() async throws {
        try await fillAndClose()
        await #expect(processExitsWith: .success) { [path = bench.path as String] in
            let (reader, isRoot) = (SQLiteQueue(path), geteuid() == 0)
            if isRoot { seteuid(65_534) }
            #expect(try await reader.status().waiting == 1)
            if isRoot { seteuid(0) } else { chmod(path, 0o644) }
            let producer = SQLiteQueue(path)
            try await producer.enqueue([entry()])
            if isRoot { seteuid(65_534) } else { chmod(path, 0o444) }
            #expect(try await reader.status().waiting == 2)
            if isRoot { seteuid(0) } else { chmod(path, 0o644) }
        }
    }

    @Test(arguments: ["", "-wal", "-shm"]) func theFileThatMayNotBeReadIsNamed(_ suffix: String) async throws {
        let open = bench.queue()
        try await open.enqueue([entry()])
        try bench.allow(0o666)
        chmod(bench.path + suffix, 0o222)
        await #expect(processExitsWith: .success) {
            [path = bench.path as String, suffix = suffix as String] in
            try beNobody()
            let error = await error { _ = try await SQLiteQueue(path).status() }
            #expect(error?.code == .refused)
            #expect(
                error?.description.contains("this user may not read \(path)\(suffix).") == true,
                "\(error?.description ?? "")")
        }
    }

    @Test func theFileThatMayNotBeWrittenIsNamed() async throws {
        try await fillAndClose()
        await #expect(processExitsWith: .success) { [path = bench.path as String] in
            try beNobody()
            for call in ["put", "open"] {
                let error = await error {
                    if call == "put" { try await SQLiteQueue(path).enqueue([entry()]) }
                    if call == "open" { try await SQLiteQueue(path).open(as: .ann) }
                }
                #expect(error?.code == .refused)
                #expect(
                    error?.description.contains("this user may not write \(path).") == true,
                    "\(error?.description ?? "")")
            }
        }
    }

    @Test func theFolderThatMayNotBeWrittenIsNamed() async throws {
        chmod(bench.folder, 0o555)
        defer { chmod(bench.folder, 0o755) }
        await #expect(processExitsWith: .success) { [folder = bench.folder as String] in
            try beNobody()
            let error = await error { try await SQLiteQueue(folder + "/new.db").enqueue([entry()]) }
            #expect(error?.code == .refused)
            #expect(
                error?.description.contains("this user may not write \(folder).") == true, "\(error?.description ?? "")"
            )
        }
    }
}

/// Root may do everything, so it goes on as a user who owns no file. Others go on as they are: no right that the tests
/// take from the files is left to their owner.
private func beNobody() throws {
    guard geteuid() == 0 else { return }
    guard setgid(65_534) == 0, setuid(65_534) == 0 else { throw Unexpected() }
}

/// Reads the queue as one who may not write it.
private func read(_ path: String, _ waiting: Int) async throws {
    try beNobody()
    let queue = SQLiteQueue(path)
    #expect(try await queue.status().waiting == waiting)
    let page = try await queue.outcomes(.all, after: nil, limit: 9, marking: false)
    #expect(page.outcomes.count == 1)
    #expect(try await queue.lastPosition(of: .all) == page.position)
    #expect(try await queue.outcomes(.all, after: page.position, limit: 9, marking: false).outcomes.isEmpty)
    #expect(try await queue.deadLetters(limit: 9).isEmpty)
}
