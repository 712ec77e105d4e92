import InMemoryTracing
import PushSimulator
import TestSupport
import Testing
import Tracing

@testable import SupervisedPush

/// A push has a span from its call to its outcome, where the program has a tracer.
@Suite(.timeLimit(.minutes(5))) struct TracingStories {
    private func stage(_ tracer: InMemoryTracer) throws -> (Rehearsal, PushConnection) {
        let stage = try Rehearsal.inMemory()
        let config = stage.patientConfig.with { $0.watching.tracing = .tracer(tracer) }
        return (stage, try stage.runtime.connect(name: "orders", config: config))
    }

    @Test func aTracedPushLeavesNothingBehind() async throws {
        final class Marker: Sendable {}
        let (stage, orders) = try stage(InMemoryTracer())
        weak var marker: Marker?
        do {
            let made = Marker()
            marker = made
            orders.push(Samples.flight, to: Samples.token(), context: made) { _ in }
        }
        #expect(await orders.drain(within: .seconds(5)))
        await until { marker == nil }
        await stage.end()
    }

    @Test func aPushIsAClientSpanUnderItsCallers() async throws {
        let tracer = InMemoryTracer()
        let (stage, orders) = try stage(tracer)
        try await tracer.withSpan("request") { _ in
            _ = try await orders.push(Samples.flight, to: Samples.token())
        }
        let topic = stage.apple.credentials.topic
        let span = try #require(tracer.finishedSpans.first { $0.operationName == "send \(topic)" })
        let caller = try #require(tracer.finishedSpans.first { $0.operationName == "request" })
        #expect(span.kind == .client && span.parentSpanID == caller.spanID)
        #expect(span.text("messaging.system") == "apns" && span.text("messaging.operation.type") == "send")
        #expect(span.text("messaging.destination.name") == topic)
        #expect(span.text("http.response.status_code") == "200" && span.status == nil)
        #expect(span.text("supervised_push.attempts") == "1")
        #expect(span.text("messaging.message.id") == stage.apple.ledger.records[0].apnsID)
        var text = ""
        span.attributes.forEach { text += "\($0)=\($1) " }
        #expect(!text.contains(Samples.token().hex) && !text.contains("Boarding"))
        await stage.end()
    }

    @Test func theSpanSaysHowThePushEnded() async throws {
        let tracer = InMemoryTracer()
        let (stage, orders) = try stage(tracer)
        let book = OutcomeBook()
        orders.push(Samples.flight, to: Samples.unregistered(), completion: book.completion(1))
        await book.wait(for: 1)
        stage.apple.holdAnswers()
        orders.push(Samples.flight, to: Samples.token(), completion: book.completion(2))
        #expect(await stage.apple.ledger.wait { $0.pushes == 2 })
        await stage.apple.cutConnections()
        await book.wait(for: 2)
        let spans = tracer.finishedSpans
        #expect(spans.map { $0.text("error.type") } == ["Unregistered", "connection_lost"])
        #expect(spans.allSatisfy { $0.status?.code == .error })
        #expect(spans.last?.text("supervised_push.certainty") == "unknown")
        await stage.end()
    }

    @Test func everyFormEndsItsSpanAlsoWhereThePushIsRefusedAtTheCall() async throws {
        let tracer = InMemoryTracer()
        let (stage, orders) = try stage(tracer)
        try orders.send(Samples.flight, to: Samples.token())
        await orders.close()
        #expect(throws: PushError.self) { try orders.send(Samples.flight, to: Samples.token()) }
        await #expect(throws: PushError.self) { try await orders.push(Samples.flight, to: Samples.token()) }
        let book = OutcomeBook()
        orders.push(Samples.flight, to: Samples.token(), completion: book.completion(1))
        await book.wait(for: 1)
        #expect(tracer.finishedSpans.count == 4 && tracer.activeSpans.isEmpty)
        #expect(tracer.finishedSpans.dropFirst().allSatisfy { $0.text("error.type") == "closed" })
        await stage.end()
    }

    @Test func withoutATracerThereIsNoSpan() async throws {
        let stage = try Rehearsal.inMemory()
        let orders = try stage.runtime.connect(name: "orders", config: stage.config)
        #expect(try await orders.push(Samples.flight, to: Samples.token()).isAccepted)
        #expect(stage.config.with { $0.watching.tracing = .none }.watching.tracing.tracer == nil)
        await stage.end()
    }
}

extension FinishedInMemorySpan {
    /// The value of an attribute, as text.
    fileprivate func text(_ key: String) -> String? {
        switch attributes.get(key) {
        case .string(let text): text
        case .int64(let number): "\(number)"
        default: nil
        }
    }
}
