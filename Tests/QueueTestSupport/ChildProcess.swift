import Foundation
import Glibc
import PushLocking

/// One run of a program, which a test signals and kills. It ends with the test program at the latest.
package struct ChildProcess: Sendable {
    package struct Failed: Error, CustomStringConvertible { package let description: String }

    /// No two start at once: each would inherit the other's pipe before it is marked as not to be inherited.
    private static let starting = Locked(())

    /// Those that a test keeps until the test program ends are ended then.
    private static let running: Locked<Set<pid_t>> = {
        atexit { ChildProcess.running.withLock { for pid in $0 { _ = Glibc.kill(pid, SIGKILL) } } }
        return Locked([])
    }()

    private let pid: pid_t

    /// Starts it.
    ///
    /// - Parameters:
    ///   - words: The program's path, and its arguments.
    ///   - text: If not nil, the call returns when its output has this text.
    package init(_ words: [String], readyWhen text: String? = nil) throws {
        let log: ChildLog
        (pid, log) = try Self.starting.withLock { _ in
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { throw Failed(description: "No pipe: errno \(errno).") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            // The child alone keeps this end, so that the log ends with it.
            defer { close(ends[1]) }
            let log = ChildLog(ends[0], readyWhen: text)
            return (try Self.spawn(words, output: ends[1]), log)
        }
        let pid = pid
        Self.running.withLock { _ = $0.insert(pid) }
        guard text != nil, !log.waitUntilReady() else { return }
        _ = end()
        throw Failed(description: "\(words[0]) did not start. It said:\n\(log.text)")
    }

    package func signal(_ number: Int32) { _ = Glibc.kill(pid, number) }

    /// Ends it as kill -9 does, and waits until the system has forgotten it.
    package func kill() {
        signal(SIGKILL)
        _ = end()
    }

    /// Waits for its end.
    ///
    /// - Returns: Its exit code; the signal's number below 0 where one ended it.
    package func end() -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        Self.running.withLock { _ = $0.remove(pid) }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : -signal
    }

    /// How much memory it has, in bytes; nil if it has ended.
    package var residentBytes: Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1_024 }
    }

    private static func spawn(_ words: [String], output: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        // It gets nothing else that is open: the reader of a pipe of this program would wait for its end, too.
        let highest = try highestDescriptor() + 64
        for descriptor in 3...highest { posix_spawn_file_actions_addclose(&actions, descriptor) }
        let copies = words.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, words[0], &actions, nil, copies + [nil], environ)
        guard code == 0 else { throw Failed(description: "\(words[0]) cannot be started: errno \(code).") }
        return pid
    }

    /// The highest descriptor that this program has open.
    private static func highestDescriptor() throws -> Int32 {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }.max() ?? 3
    }
}

/// Reads a program's output on a thread of its own until the program ends, so that the program never waits for a reader.
private final class ChildLog: @unchecked Sendable {
    // Sendable: the text is written before the signal and read after it.
    private let ready = DispatchSemaphore(value: 0)
    private var isReady: Bool
    private(set) var text = ""

    /// - Parameter mark: The text to wait for; nil if nothing is waited for, and nothing is kept.
    init(_ descriptor: Int32, readyWhen mark: String?) {
        isReady = mark == nil
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                guard !isReady, let mark else { continue }
                text += String(decoding: buffer.prefix(count), as: UTF8.self)
                guard text.contains(mark) else { continue }
                isReady = true
                ready.signal()
            }
            close(descriptor)
            if !isReady { ready.signal() }
        }
    }

    /// False if the program ended before.
    func waitUntilReady() -> Bool {
        ready.wait()
        return isReady
    }
}
