import PushSimulator
import SupervisedPush
import TestSupport
import Testing

@testable import PushProtocol

/// A push that no link would take ends by itself, and nothing else does.
@Suite(.timeLimit(.minutes(5))) struct UnsendableStories {
    @Test func aPushWhoseHeadersNoSessionTakesEndsAlone() async throws {
        let stage = try Rehearsal.inMemory()
        let owner = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: stage.config, owner: owner)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        stage.apple.holdAnswers()
        var poison = Samples.flight
        // Longer than the public initializer takes.
        poison.authorization = BearerToken(trusted: [UInt8](repeating: 0x61, count: 66_000))
        let book = OutcomeBook()
        for number in 0..<20 {
            stage.runtime.push(
                name: "orders", number == 10 ? poison : Samples.flight, to: Samples.token(number),
                completion: book.completion(number))
        }
        #expect(await stage.apple.ledger.wait { $0.pushes == 20 })
        stage.apple.releaseAnswers()
        await book.wait(for: 20)
        #expect(book.summary == ["accepted": 19, "invalid_request not_sent": 1] && book.endedOnceEach)
        #expect(book.outcomes(10).count == 1)
        #expect(stage.apple.ledger.repeatedDeviceTokens == 0)
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token()).isAccepted)
        #expect(try stage.runtime.connection(named: "orders").status.generation == 1)
        await stage.end()
    }

    @Test func whatCannotBeMadeInTheCallIsAnInvalidRequest() async throws {
        let stage = try Rehearsal.inMemory()
        let orders = try stage.runtime.connect(name: "orders", config: stage.config)
        do throws(PushError) {
            _ = try await orders.push(
                .alert(title: "Gate", content: ["aps": 1]), to: Samples.token(), context: "gate")
            Issue.record("A notification with a second aps was pushed.")
        } catch {
            #expect(error.code == .invalidRequest && error.isSafeToRepeat && error.context as? String == "gate")
            #expect(error.description.contains("named aps"))
        }
        #expect(stage.apple.ledger.snapshot.pushes == 0)
        await stage.end()
    }

    @Test func aNotificationIsMadeInTheCallFromTheStateOfItsActor() async throws {
        let stage = try Rehearsal.inMemory()
        let desk = Desk(try stage.runtime.connect(name: "orders", config: stage.config))
        #expect(try await desk.announce("B12", to: Samples.token()))
        #expect(stage.apple.ledger.snapshot.accepted == 1)
        await stage.end()
    }

    @Test func aTopicWithoutEndIsRefusedAtTheCall() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.config)
        var push = Samples.flight
        push.topic = Topic(String(repeating: "a", count: 66_000))
        let error = #expect(throws: PushError.self) {
            try stage.runtime.send(name: "orders", push, to: Samples.token())
        }
        #expect(error?.code == .invalidRequest && error?.certainty == .notSent)
        await stage.end()
    }
}

/// It makes a notification of what only it may read, which the compiler has to accept.
private actor Desk {
    private var gate = ""
    private let orders: PushConnection

    init(_ orders: PushConnection) { self.orders = orders }

    func announce(_ gate: String, to device: DeviceToken) async throws -> Bool {
        self.gate = gate
        return try await orders.push(.alert(title: self.gate), to: device).isAccepted
    }
}
