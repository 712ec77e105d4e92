import ArgumentParser
import Dispatch
import FoundationEssentials
import Glibc

/// Runs the command in a task while the main thread waits: Valgrind does not survive the main thread's end, which an
/// asynchronous `main` brings about.
@main
enum Main {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        Task.detached {
            do {
                var command = try PushBench.parseAsRoot()
                if var asynchronous = command as? any AsyncParsableCommand {
                    try await asynchronous.run()
                } else {
                    try command.run()
                }
            } catch {
                end(with: error)
            }
            leave(0)
        }
        DispatchSemaphore(value: 0).wait()
    }

    /// Says what is wrong, or the help that was asked for.
    static func end(with error: any Error) -> Never {
        let code = PushBench.exitCode(for: error)
        let text = PushBench.fullMessage(for: described(error))
        if code.isSuccess {
            print(text)
        } else {
            _ = (text + "\n").withCString { write(STDERR_FILENO, $0, strlen($0)) }
        }
        leave(code.rawValue)
    }

    /// Without the whole of Foundation, an error of a file prints its insides.
    private static func described(_ error: any Error) -> any Error {
        guard let error = error as? CocoaError, let path = error.filePath,
            let reason = error.underlying as? POSIXError
        else { return error }
        return BenchError("\(path): \(String(cString: strerror(reason.code.rawValue)))")
    }

    /// Ends without what runs at a normal exit: OpenSSL would clean up under the hands of connections that still work.
    private static func leave(_ code: Int32) -> Never {
        // A line that is lost must not look like a measurement that was made.
        guard fflush(nil) == 0 else { _exit(EX_IOERR) }
        _exit(code)
    }
}
