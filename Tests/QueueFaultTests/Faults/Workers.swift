import Foundation
import PushSimulator
import QueueTestSupport

@testable import PushQueue

extension QueueFaultMatrix {
    /// Workers that die, and workers that come back.
    static let workers = QueueFaultChapter(
        title: "A worker dies, or is paused",
        remark: """
            Another worker takes over what it had, 12 to 16 s after its last heartbeat. What has an outcome is not pushed \
            again. What may have been sent is pushed again with the same apns-id, unless it was put with `once`.
            """,
        faults: [killed, died, diedOnce, paused])

    /// What one worker may have when it is killed: what a link takes at a time, and 256 more.
    private static let mostTaken = 1_300

    private static let killed = QueueFault(
        name: "kill -9 of \(kills) workers, at random moments", put: 1_200 * (kills + 1),
        expected: .init(delivered: .exactly(1_200 * (kills + 1)), twice: .some(atMost: mostTaken * kills))
    ) { stage in
        // It lives on, and takes over from the others. Its appetite leaves them enough.
        stage.apples[0].delayAnswers(by: .fixed(.milliseconds(50)))
        stage.apples[1].delayAnswers(by: .fixed(.milliseconds(50)))
        let survivor = try stage.worker(at: 0, maxTokens: 200)
        for life in 0..<kills {
            let program = try await stage.program(at: 1)
            try await stage.handshakes(life + 1, at: 1)
            // The other worker has enough with 200 tokens meanwhile, so the rest waits for this one, however late it is.
            stage.apples[0].holdAnswers()
            // At least one dies with pushes in flight. Before the first answer, a new link takes only a few.
            let isHeld = life == 0
            if isHeld { stage.apples[1].holdAnswers() }
            let seen = stage.apples[1].ledger.snapshot.pushes
            try await stage.put(1_200)
            try await stage.pushes(seen + Int.random(in: isHeld ? 1...60 : 1...600), at: 1)
            program.signal(SIGKILL)
            try stage.prove("each ended by signal 9", program.end() == -SIGKILL)
            for apple in stage.apples { apple.releaseAnswers() }
            // What it has stored by now is all that it ever will.
            try await stage.mark()
        }
        try await stage.put(1_200)
        try await stage.rows(1_200 * (kills + 1))
        try stage.prove("some tokens in doubt", survivor.status.inDoubt > 0)
        try await survivor.stop()
    }

    private static let died = QueueFault(
        name: "a worker dies with 100 pushes in flight", put: 1_000,
        expected: .init(delivered: .exactly(1_000), twice: .exactly(100))
    ) { try await $0.dieInFlight(neverRepeats: false) }

    private static let diedOnce = QueueFault(
        name: "the same, and the entries were put with `once`", put: 1_000,
        expected: .init(delivered: .exactly(900), unknown: .exactly(100))
    ) { try await $0.dieInFlight(neverRepeats: true) }

    private static let paused = QueueFault(
        name: "a worker is paused for longer than its lease (SIGSTOP), and goes on", put: 1_200,
        expected: .init(delivered: .exactly(1_200), twice: .some(atMost: 1_000))
    ) { stage in
        stage.apples[0].holdAnswers()
        let program = try await stage.program(at: 0)
        try await stage.put(800)
        // Before the first answer, a new link takes only a few more.
        try await stage.pushes(60, at: 0)
        try await stage.pause(program, whilePutting: 200)
        stage.apples[0].releaseAnswers()
        let other = try stage.worker(at: 1)
        try await stage.rows(1_000)
        try stage.prove("another worker took over some tokens in doubt", other.status.inDoubt > 0)
        try await other.stop()
        try await stage.mark()
        let seen = stage.apples[0].ledger.snapshot.pushes
        program.signal(SIGCONT)
        try await stage.put(200)
        try await stage.rows(1_200)
        let more = stage.apples[0].ledger.snapshot.pushes - seen
        try stage.prove("then it pushed the next 200, and nothing else", more == 200)
    }
}

extension QueueStage {
    /// Pauses a worker at a moment when it holds no lock of the file, and puts tokens in.
    ///
    /// A process that is stopped in the middle of a transaction of SQLite locks the file for everybody until it goes on
    /// or ends; no lease changes that.
    fileprivate func pause(_ program: ChildProcess, whilePutting tokens: Int) async throws {
        for _ in 0..<10 {
            program.signal(SIGSTOP)
            do { return try await put(tokens) } catch let error as QueueError where error.code == .unreachable {}
            program.signal(SIGCONT)
            // A stop that follows at once would find it where it was.
            try await until("the worker has left the file's lock") {
                try await store.leave(as: WorkerID("nobody"))
                return true
            }
        }
        throw Failed(description: "The worker held the file's lock each time it was stopped.")
    }

    /// A worker dies while exactly 100 of its pushes have no answer; another one does the rest.
    fileprivate func dieInFlight(neverRepeats: Bool) async throws {
        apples[0].holdAnswers()
        let first = try worker(at: 0, maxTokens: 100)
        try await put(1_000, neverRepeats: neverRepeats)
        try await pushes(100, at: 0)
        first.worker.abandon()
        _ = try? await first.task.value
        let other = try worker(at: 1)
        try await rows(1_000)
        try prove("another worker took over 100 tokens in doubt", other.status.inDoubt == 100)
        try await other.stop()
    }
}
