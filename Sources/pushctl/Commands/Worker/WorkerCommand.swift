import ArgumentParser
import PushTerminal

/// `pushctl worker`: pushes what is in queues.
struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker",
        abstract: "Push what is in a queue, until a signal comes.",
        discussion: """
            Any number of workers may share a queue. A worker takes only what its links have room for. A signal (INT, \
            TERM, HUP) ends it: pushes under way have --drain seconds, and what was not sent goes back to the queue. A \
            second signal, from one second after the first, ends the waiting: pushes in flight stay in doubt, and the \
            next worker pushes them again. With --queues, HUP reads the file again instead. If a worker is killed, another takes over its entries after 12 seconds. \
            See docs/worker.md.

            Examples:
              pushctl worker --queue pushes.db --profile orders
              pushctl worker --queue rediss://redis.example --queues queues.json
              pushctl worker --queue rediss://redis.example --queues queues.json --check
            """)

    @OptionGroup var options: WorkerOptions

    func run() async throws {
        let status = try await options.check ? WorkerCheck(options).run() : WorkerProgram(options).run()
        if status != .success { throw ExitCode(status.rawValue) }
    }
}
