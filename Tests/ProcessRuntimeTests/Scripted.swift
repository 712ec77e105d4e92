import Dispatch
import ProcessRuntime

struct Broken: Error, CustomStringConvertible {
    var description: String { "broken" }
}

/// A behavior that records its calls and does what a message says.
final class Scripted: Behavior {
    enum Message: Sendable {
        case note(String)
        case run(@Sendable (Scripted, ProcessContext<Message>) throws -> Void)
    }

    let log: Recorder<String>
    var startFails = false
    var flushFails = false
    var refusesToExit = false

    init(_ log: Recorder<String>) { self.log = log }
    deinit { log.record("released") }

    func started(in context: ProcessContext<Message>) throws {
        log.record("started")
        if startFails { throw Broken() }
    }

    func receive(_ message: Message, in context: ProcessContext<Message>) throws {
        switch message {
        case .note(let text): log.record(text)
        case .run(let body): try body(self, context)
        }
    }

    func flush(in context: ProcessContext<Message>) throws {
        log.record("flush")
        if flushFails { throw Broken() }
    }

    func exitRequested(_ reason: ExitReason, in context: ProcessContext<Message>) {
        log.record("exit? \(reason)")
        if !refusesToExit { context.exit(reason) }
    }

    func terminated(_ reason: ExitReason, in context: ProcessContext<Message>) {
        log.record("terminated \(reason)")
        context.perform { log.record("never") }
        if context.address.send(.note("never")) { log.record("never") }
    }
}

/// Holds a process in the middle of a message, until a test has filled its mailbox.
final class Gate: Sendable {
    private let entered = Recorder<Void>()
    private let semaphore = DispatchSemaphore(value: 0)

    func hold() {
        entered.record(())
        _ = semaphore.wait(timeout: .now() + 120)
    }

    func waitUntilHeld() async { await entered.next() }
    func open() { semaphore.signal() }
}

extension ProcessSystem {
    func spawnScripted(
        _ log: Recorder<String>, _ setUp: (Scripted) -> Void = { _ in }
    ) -> Address<Scripted.Message> {
        spawn(label: "scripted") {
            let behavior = Scripted(log)
            setUp(behavior)
            return behavior
        }
    }

    /// The reason of a process's end, when it has ended.
    func down(_ pid: ProcessID) async -> String {
        await withCheckedContinuation { continuation in
            monitor(pid) { continuation.resume(returning: "\($1)") }
        }
    }
}
