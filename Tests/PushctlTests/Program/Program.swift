import Dispatch
import Foundation
import PushLocking
import PushTransport
import TestSupport
import Testing

/// The built `pushctl` as a process of its own, its output line by line.
///
/// Spawned by hand, with descriptors that no other child inherits, so that the end of its outputs is its own end.
final class Program: Sendable {
    struct End {
        let status: Int32
        let output: [String]
        let errors: [String]

        /// The last word of the last line on standard error.
        var lastWord: String? { errors.last?.split(separator: " ").last.map(String.init) }

        /// The rows of a CSV on standard output, without its header.
        var rows: [[String]] {
            output.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        }
    }

    struct CannotStart: Error {
        let code: Int32
    }

    struct CannotFeed: Error {
        let code: Int32
    }

    private enum Event {
        case output(String)
        case error(String)
        /// The exit code; the signal's number below 0 where one ended it.
        case exit(Int32)
    }

    private let id: pid_t
    /// Whether the system may have given its number to another process.
    private let isReaped = Locked(false)
    /// Where its standard input is written; nil once closed, or if it is empty.
    private let input: Locked<FileHandle?>
    private let events: AsyncStream<Event>
    private let seen = Locked<(output: [String], errors: [String], status: Int32?)>(([], [], nil))

    /// - Parameters:
    ///   - binary: What runs; `pushctl` by default.
    ///   - feedsInput: whether standard input is a pipe that `feed` writes to; otherwise it is empty.
    ///   - variables: of the environment, as `NAME=value`, besides the few it always has.
    init(
        _ arguments: [String], running binary: String = Program.binary, feedsInput: Bool = false,
        variables: [String] = []
    ) throws {
        let (events, continuation) = AsyncStream<Event>.makeStream()
        self.events = events
        let standardInput = try Self.makePipe()
        let output = try Self.makePipe()
        let errors = try Self.makePipe()
        let writer = FileHandle(fileDescriptor: standardInput.writing, closeOnDealloc: true)
        if !feedsInput { try writer.close() }
        input = Locked(feedsInput ? writer : nil)
        id = try Self.spawn([binary] + arguments, variables, standardInput.reading, output.writing, errors.writing)
        for descriptor in [standardInput.reading, output.writing, errors.writing] { close(descriptor) }

        let ended = DispatchGroup()
        ended.enter()
        ended.enter()
        let found: [(Int32, @Sendable (String) -> Void)] = [
            (output.reading, { continuation.yield(.output($0)) }), (errors.reading, { continuation.yield(.error($0)) }),
        ]
        for (descriptor, found) in found {
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            let reader = LineReader(SocketChannel(descriptor: descriptor)) {
                found(String(decoding: $0, as: UTF8.self))
            } atEnd: { rest in
                if !rest.isEmpty { found(String(decoding: rest, as: UTF8.self)) }
                ended.leave()
            }
            reader.begin()
        }
        ended.notify(queue: .global()) { [id, isReaped] in
            // It has closed both, which it does by ending: this waits for a moment at most.
            let status = isReaped.withLock { isReaped in
                var status: Int32 = 0
                while waitpid(id, &status, 0) < 0, errno == EINTR {}
                isReaped = true
                return status
            }
            let signal = status & 0x7F
            continuation.yield(.exit(signal == 0 ? status >> 8 & 0xFF : -signal))
            continuation.finish()
        }
    }

    deinit { signal(SIGKILL) }

    /// Waits for a line of either output that holds the text; nil if the program ended before, or the test's time did.
    func line(with text: String) async -> String? {
        let known = seen.withLock { ($0.output + $0.errors).first { $0.contains(text) } }
        if let known { return known }
        for await event in events {
            note(event)
            switch event {
            case .output(let line), .error(let line): if line.contains(text) { return line }
            case .exit: return nil
            }
        }
        return nil
    }

    /// Waits for this many lines of standard output.
    func lines(_ count: Int) async -> Bool {
        if seen.withLock({ $0.output.count >= count }) { return true }
        for await event in events {
            note(event)
            if seen.withLock({ $0.output.count >= count }) { return true }
        }
        return false
    }

    /// Waits for the end.
    func end() async -> End {
        for await event in events { note(event) }
        return seen.withLock { End(status: $0.status ?? -999, output: $0.output, errors: $0.errors) }
    }

    /// Sends a signal again and again, until the program ends.
    func end(insisting number: Int32) async -> End {
        let signals = Task {
            await until {
                signal(number)
                return Task.isCancelled
            }
        }
        defer { signals.cancel() }
        return await end()
    }

    func feed(_ text: String) throws {
        try input.withLock { input in
            guard let descriptor = input?.fileDescriptor else { return }
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                // Without SIGPIPE: a program that has ended would end all tests with it.
                let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw CannotFeed(code: errno) }
                rest = rest.dropFirst(count)
            }
        }
    }

    func signal(_ number: Int32) {
        isReaped.withLock { if !$0 { kill(id, number) } }
    }

    private func note(_ event: Event) {
        seen.withLock { seen in
            switch event {
            case .output(let line): seen.output.append(line)
            case .error(let line): seen.errors.append(line)
            case .exit(let status): seen.status = status
            }
        }
    }

    // MARK: Spawning

    private static func makePipe() throws(CannotStart) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        // Two sockets, because those can be made close-on-exec in one step: a child spawned meanwhile gets none.
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw CannotStart(code: errno) }
        return (ends[0], ends[1])
    }

    /// Starts a program, found by its whole path, with these three descriptors alone.
    private static func spawn(
        _ command: [String], _ variables: [String], _ input: Int32, _ output: Int32, _ errors: Int32
    ) throws(CannotStart) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in [input, output, errors].enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        // Other tests of this process ignore signals for a while; a child must not begin that way.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        let usual = ["PATH=/usr/bin:/bin", "TMPDIR=\(NSTemporaryDirectory())"].filter { setting in
            !variables.contains { $0.split(separator: "=").first == setting.split(separator: "=").first }
        }
        let settings = usual + variables
        let environment: [UnsafeMutablePointer<CChar>?] = settings.map { strdup($0) } + [nil]
        defer { for word in words + environment { free(word) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, command[0], &actions, &attributes, words, environment)
        guard code == 0 else { throw CannotStart(code: code) }
        return id
    }

    static let binary = BuiltPushctl.path
}
