import Dispatch
import PushLocking

/// Reads files for tasks, on threads of callers' code: Swift's cooperative threads are as many as there are cores, and
/// as many files on a mount that hangs would stop every task of the program.
///
/// A read that takes longer than a minute has failed for whoever waits. Its thread comes back when the file system
/// answers; while sixteen threads hang so, nothing more is read.
final class FileReader: Sendable {
    /// Calls a block after a while.
    typealias Later = @Sendable (_ delay: DispatchTimeInterval, _ block: @escaping @Sendable () -> Void) -> Void

    static let limit = DispatchTimeInterval.seconds(60)
    static let mostHanging = 16

    private let later: Later
    private let queue = DispatchQueue(label: "push.files", attributes: .concurrent, target: .forCallers)
    /// Reads that nobody waits for any more.
    private let hanging = Locked(0)

    /// - Parameter later: How time passes; not on the threads that files may hold up.
    init(
        later: @escaping Later = {
            DispatchQueue.global(qos: .userInteractive).asyncAfter(deadline: .now() + $0, execute: $1)
        }
    ) { self.later = later }

    /// Runs a body that may block, and returns what it does.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable () throws(ConnectError) -> Value
    ) async throws(ConnectError) -> Value {
        guard hanging.withLock({ $0 }) < Self.mostHanging else { throw Self.tooMany }
        let result: Result<Value, ConnectError> = await withHandOver { handOver in
            let waiting = Locked<HandOver<Result<Value, ConnectError>>?>(handOver)
            /// True if the answer came in time.
            @Sendable func answer(_ result: Result<Value, ConnectError>) -> Bool {
                let handOver = waiting.withLock { $0.take() }
                handOver?.resume(returning: result)
                return handOver != nil
            }
            later(Self.limit) { [hanging] in
                // Before anybody hears of it, and asks for the next.
                let isLate = waiting.withLock { $0 != nil }
                if isLate { hanging.withLock { $0 += 1 } }
                if !answer(.failure(Self.tooLong)), isLate { hanging.withLock { $0 -= 1 } }
            }
            queue.async { [hanging] in
                let result: Result<Value, ConnectError>
                do throws(ConnectError) { result = .success(try body()) } catch { result = .failure(error) }
                if !answer(result) { hanging.withLock { $0 -= 1 } }
            }
        }
        return try result.get()
    }

    private static let tooLong = ConnectError(
        .credential, "The credential's files could not be read within 60 s. Check the file system they are on.")
    private static let tooMany = ConnectError(
        .credential,
        "The credential's files are not read: \(mostHanging) earlier reads hang. Check the file system they are on.")
}
