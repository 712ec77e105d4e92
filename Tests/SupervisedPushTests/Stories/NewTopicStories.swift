import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// The team gets an app while links are up. APNs ties each link to the apps that there were at its first push.
@Suite("parity: F6 – an app that is newer than the link", .timeLimit(.minutes(5)))
struct NewTopicStories {
    private static let new: Topic = "com.example.new"

    private static let notification = {
        var notification = Samples.flight
        notification.topic = new
        return notification
    }()

    private func stage(pool: Int? = nil) async throws -> Rehearsal {
        let stage = try Rehearsal.inMemory()
        if let pool {
            try stage.runtime.connect(name: "orders", size: pool...pool, config: stage.patientConfig)
        } else {
            try stage.runtime.connect(name: "orders", config: stage.patientConfig)
        }
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        return stage
    }

    private func push(_ stage: Rehearsal, _ numbers: Range<Int>, _ book: OutcomeBook) {
        for number in numbers {
            let notification = number.isMultiple(of: 2) ? Self.notification : Samples.flight
            stage.runtime.push(
                name: "orders", notification, to: Samples.token(number), completion: book.completion(number))
        }
    }

    @Test func itsPushesGoOverOneFreshLinkAndTheOthersEndWhereTheyAre() async throws {
        let stage = try await stage()
        stage.apple.addTopic(Self.new.rawValue)
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        push(stage, 0..<100, book)
        #expect(await stage.apple.ledger.wait { $0.pushes == 101 })
        stage.apple.releaseAnswers()
        await book.wait(for: 100)
        #expect(book.summary == ["accepted": 100] && book.endedOnceEach)
        let snapshot = stage.apple.ledger.snapshot
        #expect(snapshot.connections == 2 && snapshot.refusals == [.topicDisallowed: 50])
        #expect(stage.apple.ledger.repeatedDeviceTokens == 0)
        await stage.end()
    }

    @Test func anAppThatTheTeamDoesNotHaveCostsOneLinkAndEndsWithTheAdvice() async throws {
        let stage = try await stage()
        let answer = try await stage.runtime.push(name: "orders", Self.notification, to: Samples.token(1))
        #expect(answer.reason == .topicDisallowed && answer.advice == .fixCredential)
        #expect(stage.apple.ledger.snapshot.connections == 2)
        stage.time?.advance(by: .seconds(61))
        let again = try await stage.runtime.push(name: "orders", Self.notification, to: Samples.token(1))
        #expect(again.reason == .topicDisallowed && stage.apple.ledger.snapshot.connections == 2)
        await stage.end()
    }

    @Test func eachConnectionOfAPoolGetsAFreshLinkForItself() async throws {
        let stage = try await stage(pool: 2)
        let book = OutcomeBook()
        stage.apple.holdAnswers()
        for number in 0..<2 {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
        #expect(await stage.apple.ledger.wait { $0.pushes == 3 && $0.connections == 2 })
        stage.apple.releaseAnswers()
        await book.wait(for: 2)
        stage.apple.addTopic(Self.new.rawValue)
        push(stage, 2..<1_002, book)
        await book.wait(for: 1_002)
        #expect(book.summary == ["accepted": 1_002] && book.endedOnceEach)
        let snapshot = stage.apple.ledger.snapshot
        #expect((3...4).contains(snapshot.connections) && snapshot.refusals[.topicDisallowed] ?? 0 > 0)
        #expect(stage.apple.ledger.repeatedDeviceTokens == 0)
        await stage.end()
    }
}
