import Dispatch
import Glibc
import PushCampaign
import PushLocking
import PushTerminal

/// The program of `simulate -- COMMAND…`. It gets the signals that this one gets.
final class SimulatedProgram: Sendable {
    /// How long it may take to end after an insisting signal, beside the time that pushctl itself takes.
    private static let grace = DispatchTimeInterval.seconds(2)

    private struct State {
        var child: ChildProcess?
        var signal: StopSignal?
    }

    private let words: [String]
    private let state = Locked(State())

    /// Nil without words.
    init?(_ words: [String]) {
        guard !words.isEmpty else { return nil }
        self.words = words
    }

    /// Runs it to its end. If a signal came before, it is not run.
    ///
    /// - Returns: The exit code, as a shell reports it: 126 or 127 if it cannot be run.
    func run(_ variables: [(name: String, value: String)]) async -> Int32 {
        if let signal = state.withLock({ $0.signal }) { return signal.status.rawValue }
        let child: ChildProcess
        do { child = try ChildProcess(words, variables: variables) } catch {
            StandardError.write(CommandError(.usage, "\(words[0]) cannot be run: \(error.reason).").line)
            return error.code == ENOENT ? 127 : 126
        }
        let early = state.withLock { state in
            state.child = child
            return state.signal
        }
        if let early { child.send(early.number) }
        return await OwnThread("pushctl.program").run { child.waitForEnd()?.code ?? ExitStatus.unknown.rawValue }
    }

    /// Passes a signal on, unless the terminal has sent it to the program, too.
    func pass(_ signal: StopSignal) {
        let child = state.withLock { state in
            state.signal = state.signal ?? signal
            return state.child
        }
        if signal != .interrupt || !Self.isInForeground { child?.send(signal.number) }
    }

    /// Passes the first signal on once more.
    func insist() {
        if let signal = state.withLock({ $0.signal }) { pass(signal) }
    }

    /// Ends it, unless it ends in a moment. Returns false if it is not running.
    func end() -> Bool {
        guard let child = state.withLock({ $0.child }), child.isRunning else { return false }
        DispatchQueue.global(qos: .userInteractive).asyncAfter(deadline: .now() + Self.grace) {
            child.send(SIGKILL)
        }
        return true
    }

    /// Whether a Ctrl-C at the terminal reaches this program's group, of which the other one is a member.
    private static var isInForeground: Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return false }
        defer { close(terminal) }
        return tcgetpgrp(terminal) == getpgrp()
    }
}
