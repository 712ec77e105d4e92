import Dispatch
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
}
