import ArgumentParser
import Foundation

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
                let code = PushBench.exitCode(for: error)
                let text = PushBench.fullMessage(for: error)
                if code.isSuccess { print(text) } else { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
                leave(code.rawValue)
            }
            leave(0)
        }
        DispatchSemaphore(value: 0).wait()
    }

    /// Ends without what runs at a normal exit: OpenSSL would clean up under the hands of connections that still work.
    private static func leave(_ code: Int32) -> Never {
        fflush(nil)
        _exit(code)
    }
}
