import Dispatch
import PushLocking

/// Reads files for tasks, on threads for callers' code. There are only as many cooperative threads as cores, so a few
/// files on a mount that hangs would stop every task of the program.
///
/// After a minute, a read has failed for its caller. Its thread is free again when the file system answers; while
/// sixteen threads hang, nothing more is read.
final class FileReader: Sendable {
    /// Calls a block after a delay.
    typealias Later = @Sendable (_ delay: DispatchTimeInterval, _ block: @escaping @Sendable () -> Void) -> Void

    static let limit = DispatchTimeInterval.seconds(60)
    static let mostHanging = 16

    private let later: Later
    private let queue = DispatchQueue(label: "push.files", attributes: .concurrent, target: .forCallers)
    /// The number of reads whose callers have given up.
    private let hanging = Locked(0)

    /// - Parameter later: The timer; it must not use the threads that files may block.
    init(
        later: @escaping Later = {
            DispatchQueue.global(qos: .userInteractive).asyncAfter(deadline: .now() + $0, execute: $1)
        }
    ) { self.later = later }

    /// Runs a body that may block, and returns its result.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable () throws(ConnectError) -> Value
    ) async throws(ConnectError) -> Value {
        guard hanging.withLock({ $0 }) < Self.mostHanging else { throw Self.tooMany }
        let result: Result<Value, ConnectError> = await withHandOver { handOver in
            let waiting = Locked<HandOver<Result<Value, ConnectError>>?>(handOver)
            /// True if the result came in time.
            @Sendable func answer(_ result: Result<Value, ConnectError>) -> Bool {
                let handOver = waiting.withLock { $0.take() }
                handOver?.resume(returning: result)
                return handOver != nil
            }
            later(Self.limit) { [hanging] in
                // Before the caller is resumed, who may ask for the next read.
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
        "The credential's files were not read: \(mostHanging) earlier reads hang. Check the file system they are on.")
}
