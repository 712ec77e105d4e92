import Foundation
import Glibc
import PushLocking

/// One run of redis-server.
struct ServerProcess: Sendable {
    private static let program = "/usr/bin/env"
    /// No two start at once: each would inherit the other's pipe before it is marked as not to be inherited.
    private static let starting = Locked(())

    /// Servers that a test keeps until the test program ends are ended then.
    private static let running: Locked<Set<pid_t>> = {
        atexit { ServerProcess.running.withLock { for pid in $0 { _ = Glibc.kill(pid, SIGKILL) } } }
        return Locked([])
    }()

    private let pid: pid_t

    /// Starts it, and returns when its log says that it accepts connections.
    init(_ arguments: [String]) throws {
        let log: ServerLog
        (pid, log) = try Self.starting.withLock { _ in
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { throw RedisServer.Failed(description: "No pipe: errno \(errno).") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            // The server alone keeps this end, so that the log ends with it.
            defer { close(ends[1]) }
            let log = ServerLog(ends[0])
            return (try Self.spawn([Self.program, "redis-server"] + arguments, output: ends[1]), log)
        }
        let pid = pid
        Self.running.withLock { _ = $0.insert(pid) }
        guard log.waitUntilReady() else {
            Self.running.withLock { _ = $0.remove(pid) }
            var status: Int32 = 0
            waitpid(pid, &status, 0)
            throw RedisServer.Failed(
                description:
                    "redis-server did not start. Install it (apt-get install redis-server). It said:\n\(log.text)")
        }
    }

    func signal(_ number: Int32) { _ = Glibc.kill(pid, number) }

    /// Ends it and waits until the system has forgotten it.
    func kill() {
        Self.running.withLock { _ = $0.remove(pid) }
        signal(SIGKILL)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }

    private static func spawn(_ words: [String], output: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        let copies = words.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, program, &actions, nil, copies + [nil], environ)
        guard code == 0 else { throw RedisServer.Failed(description: "redis-server cannot be started: errno \(code).") }
        return pid
    }
}

/// Reads a server's log on a thread of its own until the server ends, so that the server never waits for a reader.
private final class ServerLog: @unchecked Sendable {
    // Sendable: the lines are written before the signal and read after it.
    private let ready = DispatchSemaphore(value: 0)
    private var isReady = false
    private(set) var text = ""

    init(_ descriptor: Int32) {
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                guard !isReady else { continue }
                text += String(decoding: buffer.prefix(count), as: UTF8.self)
                guard text.contains("Ready to accept connections") else { continue }
                isReady = true
                ready.signal()
            }
            close(descriptor)
            if !isReady { ready.signal() }
        }
    }

    /// False if the server ended before.
    func waitUntilReady() -> Bool {
        ready.wait()
        return isReady
    }
}
