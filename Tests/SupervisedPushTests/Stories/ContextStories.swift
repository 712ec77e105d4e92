import ProcessRuntime
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// Every outcome carries what the caller gave along, so that one handler serves all pushes.
@Suite("parity: G10 – the context comes back with every outcome", .timeLimit(.minutes(5))) struct ContextStories {
    /// One handler for all outcomes: it knows a push by its context alone.
    private final class Sink: Sendable {
        private let outcomes = Recorder<(context: Int, text: String)>()

        func take(_ outcome: Result<PushResponse, PushError>) {
            switch outcome {
            case .success(let answer): note(answer.context, "\(answer.status)")
            case .failure(let error): note(error.context, error.code.name)
            }
        }

        private func note(_ context: (any Sendable)?, _ text: String) {
            outcomes.record((context as? Int ?? -1, text))
        }

        var all: [Int: String] { outcomes.all.reduce(into: [:]) { $0[$1.context, default: ""] += $1.text } }

        func wait(for count: Int) async { await outcomes.wait(for: count) }
    }

    @Test func anAnswerCarriesItInEveryForm() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.config)
        let runtime = stage.runtime
        let accepted = try await runtime.push(name: "orders", Samples.flight, to: Samples.token(), context: 1)
        #expect(accepted.isAccepted && accepted.context as? Int == 1)
        let rejected = try await runtime.push(name: "orders", Samples.flight, to: Samples.unregistered(), context: 2)
        #expect(rejected.reason == .unregistered && rejected.context as? Int == 2 && rejected.timestamp != nil)
        let blocking = try await onAThread {
            try runtime.connection(named: "orders").pushBlocking(Samples.flight, to: Samples.token(), context: 3)
        }
        #expect(blocking.context as? Int == 3)
        let sink = Sink()
        runtime.push(name: "orders", Samples.flight, to: Samples.token(), context: 4) { sink.take($0) }
        runtime.push(name: "orders", Samples.flight, to: Samples.unregistered(), context: 5) { sink.take($0) }
        await sink.wait(for: 2)
        #expect(sink.all == [4: "200", 5: "410"])
        #expect(try await runtime.push(name: "orders", Samples.flight, to: Samples.token()).context == nil)
        await stage.end()
    }

    @Test func anErrorCarriesItWhereverThePushEnds() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.config.with { $0.limits.maxInFlight = 1 })
        let runtime = stage.runtime
        let sink = Sink()
        func push(_ context: Int, _ name: String = "orders", _ notification: PushNotification = Samples.flight) {
            runtime.push(name: name, notification, to: Samples.token(context), context: context) { sink.take($0) }
        }
        // At the call: no such name, and what APNs would refuse.
        push(1, "nobody")
        push(2, "orders", .alert(body: String(repeating: "x", count: 5_000)))
        let thrown = await #expect(throws: PushError.self) {
            try await runtime.push(name: "nobody", Samples.flight, to: Samples.token(), context: 3)
        }
        #expect(thrown?.context as? Int == 3)
        let sent = #expect(throws: PushError.self) {
            try runtime.send(name: "nobody", Samples.flight, to: Samples.token(), context: 4)
        }
        #expect(sent?.context as? Int == 4)
        // In flight, waiting, and cancelled while it waits.
        _ = try await runtime.push(name: "orders", Samples.flight, to: Samples.token())
        stage.apple.holdAnswers()
        push(5)
        #expect(await stage.apple.ledger.wait { $0.pushes == 2 })
        push(6)
        runtime.push(name: "orders", Samples.flight, to: Samples.token(7), context: 7) { sink.take($0) }.cancel()
        await sink.wait(for: 3)
        try await runtime.close(name: "orders", within: .zero)
        await sink.wait(for: 5)
        #expect(
            sink.all == [
                1: "unknown_name", 2: "payload_too_large", 5: "closed", 6: "closed", 7: "cancelled",
            ])
        await stage.end()
    }

    @Test func bulksAndLateAnswersCarryItToo() async throws {
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: stage.config, owner: mailbox)
        let large = PushNotification.alert(body: String(repeating: "x", count: 5_000))
        let pushes = [
            Push(Samples.flight, to: Samples.token(), context: 0),
            Push(Samples.flight, to: Samples.unregistered(), context: 1), Push(large, to: Samples.token(), context: 2),
        ]
        var contexts: [Int: Int?] = [:]
        for try await outcome in try stage.runtime.connection(named: "orders").bulk(pushes) {
            switch outcome.result {
            case .success(let answer): contexts[outcome.index] = answer.context as? Int
            case .failure(let error): contexts[outcome.index] = error.context as? Int
            }
        }
        #expect(contexts == [0: 0, 1: 1, 2: 2])

        stage.apple.holdAnswers()
        let call = Task {
            try await stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(), context: 9,
                options: PushOptions(timeout: .seconds(1)))
        }
        #expect(await stage.apple.ledger.wait(within: .seconds(120)) { $0.pushes == 3 })
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(1)))
        stage.time?.advance(by: .seconds(1))
        let error = await #expect(throws: PushError.self) { try await call.value }
        #expect(error?.code == .timedOut && error?.context as? Int == 9)
        stage.apple.releaseAnswers()
        let message = await mailbox.receive(timeout: .seconds(120)) {
            if case .lateResponse = $0 { true } else { false }
        }
        guard case .lateResponse(let late)? = message, case .answered(let answer) = late.outcome else {
            Issue.record("no late answer")
            return
        }
        #expect(answer.context as? Int == 9 && late.context as? Int == 9)
        await stage.end()
    }

    @Test func whatACallerGaveIsInNoTextAndChangesNoAnswer() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.config)
        let answer = try await stage.runtime.push(
            name: "orders", Samples.flight, to: Samples.unregistered(), context: "a secret")
        let other = PushResponse(
            status: answer.status, headers: answer.headers, body: answer.body, context: "something else")
        #expect(answer == other && answer.hashValue == other.hashValue && answer.reason == other.reason)
        #expect(answer != PushResponse(status: 200, context: "a secret"))
        let error = await #expect(throws: PushError.self) {
            try await stage.runtime.push(name: "nobody", Samples.flight, to: Samples.token(), context: "a secret")
        }
        let text = "\(answer) \(error?.description ?? "")"
        #expect(text.contains("nobody") && !text.contains("a secret"))
        await stage.end()
    }
}
