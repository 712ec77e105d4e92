import Logging
import ProcessRuntime
import PushServiceLifecycle
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

@Suite("a runtime as a service: it runs until shutdown is asked for, then drains", .timeLimit(.minutes(5)))
struct ServiceStories {
    @Test func aGracefulShutdownLetsFinishWhatFlies() async throws {
        let stage = try Rehearsal.inMemory(runtime: .init(drainLimit: .seconds(5)))
        let owner = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig, owner: owner)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        for number in 0..<10 {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
        #expect(await stage.apple.ledger.wait { $0.pushes == 11 })
        let group = ServiceGroup(
            services: [stage.runtime], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let running = Task { try await group.run() }
        await group.triggerGracefulShutdown()
        await until { (try? stage.runtime.send(name: "orders", Samples.flight, to: Samples.token())) == nil }
        #expect(book.count == 0)
        stage.apple.releaseAnswers()
        try await running.value
        #expect(book.summary == ["accepted": 10] && stage.runtime.names.isEmpty)
        stage.apple.stop()
    }

    @Test func atTheDrainLimitItEndsAndOwnersGetTheirPushesBack() async throws {
        let stage = try Rehearsal.inMemory(runtime: .init(drainLimit: .seconds(5)))
        stage.apple.mute()
        let owner = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig, owner: owner)
        try stage.runtime.send(name: "orders", Samples.flight, to: Samples.token(), context: 7)
        let group = ServiceGroup(
            services: [stage.runtime], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let running = Task { try await group.run() }
        await group.triggerGracefulShutdown()
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(5)))
        stage.time?.advance(by: .seconds(5))
        guard case .handedBack(_, "orders", let pushes)? = await owner.receive(where: \.isHandBack) else {
            Issue.record("nothing handed back")
            return
        }
        #expect(pushes.notSent.map { $0.context as? Int } == [7])
        try await running.value
        stage.apple.stop()
    }

    @Test func aCancelledTaskEndsItWithoutGrace() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.mute()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig)
        let book = OutcomeBook()
        stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(), completion: book.completion(0))
        let running = Task { try await stage.runtime.run() }
        running.cancel()
        _ = await running.result
        #expect(book.summary == ["closed not_sent": 1] && stage.runtime.names.isEmpty)
        stage.apple.stop()
    }

    @Test("parity: P7 – a connection that gives up because of its credential ends the service with the cause")
    func givingUpEndsTheService() async throws {
        let credentials = try ThrowAwayCredentials(environments: [.development])
        let stage = try Rehearsal.inMemory { $0.credentials = credentials }
        let group = ServiceGroup(
            services: [stage.runtime], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let running = Task { try await group.run() }
        // The service can have ended before `connect` returns, which then says so.
        _ = try? stage.runtime.connect(
            name: "orders", config: stage.certificateConfig.with { $0.retry.onRefusedCredential = .giveUp })
        let error = await #expect(throws: CredentialRefusal.self) { try await running.value }
        #expect(error?.reason == .badCertificateEnvironment)
        #expect(stage.runtime.names.isEmpty)
        stage.apple.stop()
    }
}
