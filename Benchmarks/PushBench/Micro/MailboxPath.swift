import ProcessRuntime

/// Messages through a mailbox, and through a process.
enum MailboxPath {
    private enum Message: MailboxMessage {
        case number(Int)
        case overflowed(_ count: Int)
    }

    /// Posted, then received.
    static func mailbox(_ count: Int, _ timer: inout MicroTimer) async throws {
        let mailbox = Mailbox<Message>(limit: count)
        let start = ContinuousClock.now
        for number in 0..<count { mailbox.post(.number(number)) }
        for _ in 0..<count { _ = await mailbox.receive() }
        timer.note((ContinuousClock.now - start) / .nanoseconds(1), count)
    }

    /// Sent to a process, which counts them and at the last one answers.
    static func process(_ count: Int, _ timer: inout MicroTimer) async throws {
        let system = ProcessSystem()
        let start = ContinuousClock.now
        await withCheckedContinuation { continuation in
            let counter = system.spawn(label: "counter") { Counter(count, continuation) }
            for number in 0..<count { counter.send(number) }
        }
        timer.note((ContinuousClock.now - start) / .nanoseconds(1), count)
    }

    private final class Counter: Behavior {
        private var rest: Int
        private let finished: CheckedContinuation<Void, Never>

        init(_ count: Int, _ finished: CheckedContinuation<Void, Never>) {
            rest = count
            self.finished = finished
        }

        func receive(_ message: Int, in context: ProcessContext<Int>) {
            rest -= 1
            guard rest == 0 else { return }
            finished.resume()
            context.exit(.normal)
        }
    }
}
