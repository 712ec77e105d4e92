import ProcessRuntime
import PushSimulator
import TestSupport
import Testing

@testable import SupervisedPush

/// What a handle leads to, and what looking one up says.
@Suite(.timeLimit(.minutes(5))) struct HandleStories {
    @Test func everyCallIsOnTheHandleThatConnectReturns() async throws {
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        let orders = try stage.runtime.connect(name: "orders", config: stage.config)
        try orders.subscribe(mailbox)
        try await orders.waitUntilUp()
        #expect(try await orders.push(Samples.flight, to: Samples.token()).isAccepted)
        #expect(try await orders.push(Push(Samples.flight, to: Samples.token(1))).isAccepted)
        try orders.send(Samples.flight, to: Samples.token(2))
        try orders.send(Push(Samples.flight, to: Samples.token(3)))
        #expect(await orders.drain(within: .seconds(5)))
        try await orders.whenRoom()
        #expect(orders.name == "orders" && orders.pid == stage.runtime.pid(of: "orders"))
        // Counted at the end of the burst, a moment after the outcome.
        await until { orders.status.counters.accepted >= 4 }
        #expect(orders.status.phase == .up && orders.status.counters.accepted == 4)
        #expect(orders.load.waiting == 0 && orders.members.map(\.pid) == [orders.pid])
        #expect(try orders.flightRecord().entries.contains { $0.event == "up" })
        #expect("\(orders)" == "\"orders\" \(try #require(orders.pid))")
        #expect(await orders.close().isEmpty)
        #expect(orders.status.phase == .ended && orders.pid == nil && "\(orders)" == "\"orders\"")
        #expect(await orders.close().isEmpty, "closing again does nothing")
        await stage.end()
    }

    @Test func aHandleOfANameFollowsItsConnectionThroughARestartAndNotToALaterOne() async throws {
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        let first = try stage.runtime.connect(name: "orders", config: stage.config, owner: mailbox)
        let process = try stage.runtime.connection(try #require(first.pid))
        try await first.waitUntilUp()
        stage.runtime.kill(try #require(first.pid))
        _ = await mailbox.receive { if case .down = $0 { true } else { false } }
        try await first.waitUntilUp()
        #expect(try await first.push(Samples.flight, to: Samples.token()).isAccepted)
        let ended = await #expect(throws: PushError.self) {
            try await process.push(Samples.flight, to: Samples.token())
        }
        #expect(ended?.code == .noProcess && ended?.certainty == .notSent, "a pid means that process")
        #expect(process.pid == nil && process.status.phase == .ended)
        #expect(await process.close().isEmpty && first.status.phase == .up, "its connection goes on")
        await first.close()
        let second = try stage.runtime.connect(name: "orders", config: stage.config)
        #expect(try await second.push(Samples.flight, to: Samples.token()).isAccepted)
        let closed = await #expect(throws: PushError.self) { try await first.push(Samples.flight, to: Samples.token()) }
        #expect(closed?.code == .closed && closed?.pushID != nil)
        await stage.end()
    }

    @Test func whoWaitsForAProcessHearsOfItsEndAndNotOfItsSuccessor() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.refuseConnections()
        let orders = try stage.runtime.connect(name: "orders", config: stage.config)
        let pid = try #require(orders.pid)
        let process = try stage.runtime.connection(pid)
        let waiting = Task { try await process.waitUntilUp(timeout: .seconds(60)) }
        stage.runtime.kill(pid)
        let error = await #expect(throws: NotUpError.self) { try await waiting.value }
        #expect(error?.code == .ended, "\(error as Any)")
        await stage.end()
    }

    @Test func aHandleKeepsTheRuntimeAlive() async throws {
        let stage = try Rehearsal.inMemory()
        let orders = try stage.anotherRuntime().connect(name: "orders", config: stage.config)
        #expect(try await orders.push(Samples.flight, to: Samples.token()).isAccepted)
        await orders.close()
        await stage.end()
    }

    @Test func aPoolsMembersAreHandles() async throws {
        let stage = try Rehearsal.inMemory()
        let bulk = try stage.runtime.connect(name: "bulk", size: 2, config: stage.config)
        try await bulk.waitUntilUp()
        for member in bulk.members {
            try await member.waitUntilUp()
            #expect(try await member.push(Samples.flight, to: Samples.token()).isAccepted)
            #expect(try member.flightRecord().entries.contains { $0.event == "traffic" })
        }
        #expect(Set(bulk.members.compactMap(\.pid)).count == 2 && bulk.members.allSatisfy { $0.name == "bulk" })
        let isPool = #expect(throws: LookupError.self) { try bulk.flightRecord() }
        #expect(isPool?.code == .isPool && isPool?.description.contains("members") == true)
        await stage.end()
    }

    @Test func aLookupSaysWhetherTheNameWasNeverThereOrWasClosed() async throws {
        let stage = try Rehearsal.inMemory()
        let runtime = stage.runtime
        let never = #expect(throws: LookupError.self) { try runtime.connection(named: "orders") }
        #expect(never?.code == .unknownName && never?.description.contains("check the spelling") == true)
        let pid = try #require(try runtime.connect(name: "orders", config: stage.config).pid)
        try await runtime.close(name: "orders")
        let closed = #expect(throws: LookupError.self) { try runtime.connection(named: "orders") }
        #expect(
            closed?.code == .closed
                && closed?.description == "The connection \"orders\" was closed: connect again, or use another one.")
        #expect(await #expect(throws: LookupError.self) { try await runtime.close(name: "orders") }?.code == .closed)
        let push = await #expect(throws: PushError.self) {
            try await runtime.push(name: "orders", Samples.flight, to: Samples.token())
        }
        #expect(push?.code == .closed && push?.certainty == .notSent)
        #expect(#expect(throws: LookupError.self) { try runtime.connection(pid) }?.code == .noProcess)
        try runtime.connect(name: "orders", config: stage.config)
        #expect(try await runtime.push(name: "orders", Samples.flight, to: Samples.token()).isAccepted)
        await stage.end()
    }

    @Test("parity: E1, P7 – a name that was given up says why, wherever it is used")
    func aLookupSaysWhyANameWasGivenUp() async throws {
        let stage = try Rehearsal.inMemory { $0.credentials = try? ThrowAwayCredentials(environments: [.development]) }
        let runtime = stage.runtime
        let config = stage.certificateConfig.with { $0.retry.onRefusedCredential = .giveUp }
        let orders = try runtime.connect(name: "orders", config: config)
        let ended = await #expect(throws: NotUpError.self) { try await orders.waitUntilUp() }
        #expect(ended?.refusal != nil)
        await until { runtime.pid(of: "orders") == nil }
        let lookup = #expect(throws: LookupError.self) { try runtime.connection(named: "orders") }
        #expect(lookup?.code == .givenUp && lookup?.refusal == ended?.refusal)
        for push in [
            { try await runtime.push(name: "orders", Samples.flight, to: Samples.token()) },
            { try await orders.push(Samples.flight, to: Samples.token()) },
        ] {
            let error = await #expect(throws: PushError.self) { _ = try await push() }
            #expect(error?.code == .credentialRefused && error?.certainty == .notSent)
            #expect(error?.description.contains("was given up") == true)
        }
        await stage.end()
    }

    @Test func aConnectionWhoseProcessFailsTooOftenSaysSo() async throws {
        let stage = try Rehearsal.inMemory()
        let runtime = stage.runtime
        let intensity = try RestartIntensity(limit: 1, period: .seconds(60), delays: [.zero])
        let orders = try runtime.connect(
            name: "orders", config: stage.config.with { $0.retry.restartIntensity = intensity })
        for _ in 0..<2 {
            await until { orders.pid != nil || runtime.pid(of: "orders") == nil }
            if let pid = orders.pid { runtime.kill(pid) }
        }
        await until {
            if let pid = orders.pid { runtime.kill(pid) }
            return !runtime.names.contains("orders")
        }
        let error = #expect(throws: LookupError.self) { try runtime.connection(named: "orders") }
        #expect(error?.code == .givenUp && error?.refusal == nil)
        #expect(
            error?.description.contains("failed too often, last with: killed") == true, "\(error?.description ?? "")")
        await stage.end()
    }

    @Test func aThousandEndedNamesAreRemembered() {
        var ends = EndedNames()
        for number in 0..<1_500 { ends.add("\(number)", end: .unknownName("\(number)")) }
        #expect(ends["499"] == nil && ends["500"] != nil && ends["1499"] != nil)
        ends.forget("500")
        ends.add("499", end: .unknownName("499"))
        #expect(ends["500"] == nil && ends["501"] != nil && ends["499"] != nil)
    }

    @Test func aFakeTakesAConnectionsPlace() async throws {
        let fake = Recorder()
        #expect(try await fake.push(Samples.flight, to: Samples.token()).isAccepted)
        #expect(throws: PushError.self) { try fake.send(Samples.flight, to: Samples.token()) }
        let stage = try Rehearsal.inMemory()
        for sender in [fake, try stage.runtime.connect(name: "orders", config: stage.config)] as [any PushSending] {
            #expect(try await sender.push(Samples.flight, to: Samples.token()).isAccepted)
        }
        await stage.end()
    }
}

/// A fake, as an application writes one.
private struct Recorder: PushSending {
    func push(_ push: Push, options: PushOptions) async throws(PushError) -> PushResponse { PushResponse(status: 200) }

    func send(_ push: Push, options: PushOptions) throws(PushError) {
        throw PushError(.overloaded, certainty: .notSent)
    }
}
