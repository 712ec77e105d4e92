import Dispatch
import HandWrittenFrames
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// Completions are the caller's code: one that blocks its thread holds up its own connection's completions, and nothing else.
@Suite(.timeLimit(.minutes(2))) struct BlockingCompletionStories {
    @Test func completionsThatBlockKeepNoOtherConnectionFromPushing() async throws {
        let stage = try Rehearsal.inMemory()
        let gate = DispatchSemaphore(value: 0)
        let book = OutcomeBook()
        // Where processes shared the pool, each would cost them a thread, and Dispatch makes a new one once a second.
        let tenants = 200
        for number in 0..<tenants {
            try stage.runtime.connect(name: "tenant \(number)", config: stage.config)
            let note = book.completion(number)
            stage.runtime.push(name: "tenant \(number)", Samples.flight, to: Samples.token(number)) { outcome in
                gate.wait()
                note(outcome)
            }
        }
        #expect(await stage.apple.ledger.wait { $0.accepted == tenants })
        try stage.runtime.connect(name: "orders", config: stage.config)
        for number in 0..<10 {
            let answer = try await stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(tenants + number))
            #expect(answer.isAccepted)
        }
        #expect(book.count == 0)
        for _ in 0..<tenants { gate.signal() }
        await book.wait(for: tenants)
        #expect(book.summary == ["accepted": tenants] && book.endedOnceEach)
        await stage.end()
    }

    @Test func whatCompletionsPushedGoesOutWithinFiveMillisecondsThoughOneOfThemBlocks() async throws {
        let count = 50
        let answers = (0..<count).flatMap { HandWritten.headers(2 * $0 + 1, [(":status", "200")], end: true) }
        let stage = try HandWrittenStage { _ in HandWrittenPeer.saying(answers, after: count) }
        try stage.connect { $0.liveness = .never }
        let (book, gate) = (OutcomeBook(), DispatchSemaphore(value: 0))
        let (first, last) = (book.completion(0), book.completion(count))
        stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(0)) { [runtime = stage.runtime] outcome in
            first(outcome)
            runtime.push(name: "orders", Samples.flight, to: Samples.token(count), completion: last)
            gate.wait()
        }
        stage.push(count - 1, from: 1, into: book)
        // The answers share a batch, so its other completions could push, too.
        await stage.time.waitUntilArmed(by: stage.time.now.advanced(by: .milliseconds(5)))
        stage.time.advance(by: .milliseconds(5))
        _ = try await stage.conversation { $0.wholeRequests == count + 1 }
        #expect(book.count == 1)
        gate.signal()
        await book.wait(for: count)
        #expect(book.summary == ["accepted": count])
        await stage.end()
        #expect(book.summary == ["accepted": count, "closed unknown": 1] && book.endedOnceEach)
    }
}
