import FoundationEssentials
import Glibc
import PushLocking
import PushTerminal

/// A program that this one runs, with the same standard streams.
final class ChildProcess: Sendable {
    /// The system's error number: ENOENT if the program is not on the PATH.
    struct CannotStart: Error {
        let code: Int32

        var reason: String { code == ENOENT ? "it is not on the PATH" : SystemError.text(code) }
    }

    enum End: Sendable, CustomStringConvertible {
        case exited(Int32)
        case killed(signal: Int32)

        /// As a shell reports it.
        var code: Int32 {
            switch self {
            case .exited(let code): code
            case .killed(let signal): 128 + signal
            }
        }

        var description: String {
            switch self {
            case .exited(let code): "ended with \(code)"
            case .killed(let signal): "was ended by signal \(signal)"
            }
        }
    }

    /// 0 once it has ended, because the system may give the number to another program.
    private let id: Locked<pid_t>

    /// - Parameters:
    ///   - words: The program, which is looked up on the PATH, and its arguments.
    ///   - variables: Variables that its environment has in addition to this program's.
    ///   - outputIsError: Whether its standard output goes to standard error.
    init(
        _ words: [String], variables: [(name: String, value: String)] = [], outputIsError: Bool = false
    ) throws(CannotStart) {
        // A parent may have set it to be ignored, and then the end of a child is not reported.
        signal(SIGCHLD, SIG_DFL)
        var id: pid_t = 0
        let code = Self.spawn(words, variables: variables, outputIsError: outputIsError, id: &id)
        guard code == 0 else { throw CannotStart(code: code) }
        self.id = Locked(id)
    }

    /// Whether its end was not reported yet.
    var isRunning: Bool { id.withLock { $0 > 0 } }

    /// Does nothing once it has ended.
    func send(_ number: Int32) {
        id.withLock { if $0 > 0 { kill($0, number) } }
    }

    /// Waits for its end on this thread. Nil if the system does not say how it ended.
    func waitForEnd() -> End? {
        let child = id.withLock { $0 }
        var information = siginfo_t()
        // It keeps its number until the lock is held, so that no signal goes to another program.
        while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) != 0 {
            guard errno == EINTR else { return nil }
        }
        return id.withLock { id in
            var status: Int32 = 0
            defer { id = 0 }
            guard waitpid(child, &status, 0) == child else { return nil }
            return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: status & 0x7F)
        }
    }

    private static func spawn(
        _ words: [String], variables: [(name: String, value: String)], outputIsError: Bool, id: inout pid_t
    ) -> Int32 {
        guard let program = words.first else { return ENOENT }
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if outputIsError { posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO) }
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This thread blocks and ignores signals that the program handles in another way. A child would inherit that.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in StopSignal.takenHere().map(\.number) + [SIGPIPE, SIGUSR1] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var environment = ProcessInfo.processInfo.environment
        for variable in variables { environment[variable.name] = variable.value }
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        let settings: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in arguments + settings { free(word) } }
        return posix_spawnp(&id, program, &actions, &attributes, arguments, settings)
    }
}
