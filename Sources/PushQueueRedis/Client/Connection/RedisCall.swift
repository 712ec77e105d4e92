import ProcessRuntime
import PushLocking
import PushQueue

/// One call on its way: from the caller's task to the process of the connection, and back. It ends exactly once, at the
/// latest when it is released.
final class RedisCall: Sendable {
    typealias Result = Swift.Result<[RedisReply], QueueError>

    let bytes: [UInt8]
    /// How many commands it has.
    let commands: Int
    let deadline: MonotonicInstant
    private let book: RedisCallBook
    private let continuation: Locked<CheckedContinuation<Result, Never>?>

    init(
        _ bytes: [UInt8], commands: Int, deadline: MonotonicInstant, in book: RedisCallBook,
        continuation: CheckedContinuation<Result, Never>
    ) {
        self.bytes = bytes
        self.commands = commands
        self.deadline = deadline
        self.book = book
        self.continuation = Locked(continuation)
    }

    deinit { end(.failure(book.processEnded.error)) }

    /// Resumes the caller. Only the first end counts.
    func end(_ result: Result) {
        let continuation = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        guard let continuation else { return }
        book.leave(commands: commands, bytes: bytes.count)
        continuation.resume(returning: result)
    }
}

/// Counts the calls of a connection that have not ended, and bounds them.
final class RedisCallBook: Sendable {
    private struct State {
        var commands = 0
        var bytes = 0
        var isClosed = false
    }

    private let configuration: RedisConnection.Configuration
    private let state = Locked(State())

    init(_ configuration: RedisConnection.Configuration) { self.configuration = configuration }

    /// Lets a call in, or says why not.
    func enter(commands: Int, bytes: Int) throws(QueueError) {
        let refusal: RedisFailure? = state.withLock { state in
            if state.isClosed { return closed }
            let fits =
                state.commands + commands <= configuration.commandLimit
                && state.bytes + bytes <= configuration.byteLimit
            guard fits || state.commands == 0 else { return full(commands: state.commands, bytes: state.bytes) }
            state.commands += commands
            state.bytes += bytes
            return nil
        }
        if let refusal { throw refusal.error }
    }

    func leave(commands: Int, bytes: Int) {
        state.withLock { state in
            state.commands -= commands
            state.bytes -= bytes
        }
    }

    /// From now on no call is let in.
    func close() { state.withLock { $0.isClosed = true } }

    /// How many commands have no answer yet.
    var unanswered: Int { state.withLock { $0.commands } }

    /// Why a call ends whose process has ended.
    var processEnded: RedisFailure {
        if state.withLock({ $0.isClosed }) { return closed }
        return RedisFailure(
            .unreachable,
            "The process of the connection to \(configuration) ended. The call may have been executed. Try again.")
    }

    private var closed: RedisFailure {
        RedisFailure(
            .unreachable,
            "The connection to \(configuration) was closed by this program. A call that it had written may have been "
                + "executed.")
    }

    private func full(commands: Int, bytes: Int) -> RedisFailure {
        RedisFailure(
            .unreachable,
            "\(commands) commands with \(bytes) bytes to \(configuration) are unanswered, which is near the limit of "
                + "\(configuration.commandLimit) commands and \(configuration.byteLimit) bytes. The call was not "
                + "written. Wait for answers, or raise the limits.")
    }
}
