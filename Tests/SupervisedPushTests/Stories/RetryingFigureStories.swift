import Foundation
import MetricsTestKit
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// What waits to be sent again is in every figure.
@Suite("parity: P9 – pushes that wait to be sent again are in every figure", .timeLimit(.minutes(5)))
struct RetryingFigureStories {
    private let size = Samples.flight.payload.count

    private func push(_ count: Int, _ stage: Rehearsal, _ book: OutcomeBook, name: String = "orders") {
        for number in 0..<count {
            stage.runtime.push(
                name: name, Samples.flight, to: Samples.token(number), options: PushOptions(resend: .resendUnknown),
                completion: book.completion(number))
        }
    }

    /// The time passes in which a connection pauses before it dials, or a push before it is sent again.
    private func pass(_ time: Duration, _ stage: Rehearsal) async {
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: time))
        stage.time?.advance(by: time)
    }

    @Test func afterALostLink() async throws {
        let stage = try Rehearsal.inMemory()
        let (metrics, book) = (TestMetrics(), OutcomeBook())
        let orders = try stage.runtime.connect(
            name: "orders", config: stage.patientConfig.with { $0.watching.metrics = .factory(metrics) })
        func gauge() throws -> Double? {
            try metrics.expectGauge("supervised_push_retrying", [("connection", "orders")]).lastValue
        }
        _ = try await orders.push(Samples.flight, to: Samples.token(9_999))
        #expect(try gauge() == 0)
        stage.apple.holdAnswers()
        push(100, stage, book)
        #expect(await stage.apple.ledger.wait { $0.pushes == 101 })
        #expect(orders.load.retrying == 0)
        stage.apple.refuseConnections()
        stage.apple.perform(.cut(.reset))
        await until { orders.status.retrying == 100 }

        let (status, load) = (orders.status, orders.load)
        #expect(status.inFlight == 0 && status.waiting == 0 && status.waitingBytes == 0)
        #expect(status.retryingBytes == 100 * size)
        #expect(load.inFlight == 0 && load.waiting == 0 && load.retrying == 100)
        #expect(status.description.contains("0 waiting, 100 retrying, "))
        try await until { try gauge() == 100 }
        let budget = stage.runtime.waitingBudget
        #expect(budget.limit - budget.free >= 100 * size)
        let read = try JSONDecoder().decode(ConnectionStatus.self, from: JSONEncoder().encode(status))
        #expect(read.retrying == 100 && read.retryingBytes == 100 * size)

        // New pushes are admitted beside them, and count as waiting.
        stage.runtime.push(
            name: "orders", Samples.flight, to: Samples.token(100), completion: book.completion(100))
        #expect(orders.load.waiting == 1 && orders.load.retrying == 100)

        stage.apple.releaseAnswers()
        stage.apple.acceptConnections()
        await pass(.seconds(1), stage)
        await book.wait(for: 101)
        #expect(book.summary == ["accepted": 101] && book.endedOnceEach)
        #expect(await orders.drain(within: .seconds(60)))
        #expect(orders.status.retrying == 0 && orders.status.retryingBytes == 0)
        #expect(try gauge() == 0)
        await until { stage.runtime.waitingBudget.free == budget.limit }
        await stage.end()
    }

    @Test func afterAnAnswerThatIsRetried() async throws {
        let stage = try Rehearsal.inMemory()
        let book = OutcomeBook()
        let orders = try stage.runtime.connect(
            name: "orders", config: stage.patientConfig.with { $0.retry.statusRetry = StatusRetryPolicy(retries: 3) })
        _ = try await orders.push(Samples.flight, to: Samples.token(9_999))
        stage.apple.faults.add(FaultRule(.push, .refuse(.serviceUnavailable), times: 10))
        push(10, stage, book)
        await until { orders.load.retrying == 10 }
        #expect(orders.status.retryingBytes == 10 * size && orders.status.waiting == 0)
        await pass(.seconds(2), stage)
        await book.wait(for: 10)
        #expect(book.summary == ["accepted": 10])
        #expect(orders.load.retrying == 0)
        await stage.end()
    }

    @Test func thoseOfAPoolCountForThePool() async throws {
        let stage = try await PoolStage(2...2)
        let pool = try stage.runtime.connection(named: "bulk")
        stage.apple.holdAnswers()
        push(20, stage.rehearsal, stage.book, name: "bulk")
        #expect(await stage.apple.ledger.wait { $0.pushes == 20 })
        stage.apple.refuseConnections()
        stage.apple.perform(.cut(.reset))
        await until { pool.status.retrying == 20 }
        #expect(pool.load.retrying == 20 && pool.status.retryingBytes == 20 * size)
        #expect(stage.members.count == 2 && stage.members.allSatisfy { $0.retrying == 0 && $0.retryingBytes == 0 })
        await stage.rehearsal.end()
    }
}
