import Foundation
import Logging
import ProcessRuntime
import PushServiceLifecycle
import PushSimulator
import TestSupport
import Testing

@testable import SupervisedPush

@Suite("parity: F19 – the state of a runtime, over its status socket", .timeLimit(.minutes(5)))
final class StatusSocketStories {
    private let path = NSTemporaryDirectory() + "/status-\(UUID().uuidString.prefix(8)).sock"

    deinit { unlink(path) }

    private func first(_ client: StatusLines) async throws -> StatusSnapshot {
        try StatusSnapshot.decode(try #require(await client.next()))
    }

    @Test func aSnapshotHasTheTreeAndWhatBecameOfThePushes() async throws {
        let stage = try Rehearsal.inMemory(runtime: .init(logger: nil, statusSocket: path))
        try stage.runtime.connect(name: "orders", config: stage.patientConfig)
        for number in 0..<3 {
            _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(number))
        }
        let device = Samples.unregistered(7)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: device)
        // Its counters are published at the end of the burst, a moment after the outcome.
        try await until { try stage.runtime.connection(named: "orders").status.counters.ended >= 4 }
        let client = try StatusLines(path)
        let line = try #require(await client.next())
        let snapshot = try StatusSnapshot.decode(line)
        #expect(snapshot.version == 1 && snapshot.processID == getpid() && !snapshot.program.isEmpty)
        let child = try #require(snapshot.tree.children.first)
        #expect(child.id == "connection:orders#1" && child.parent == nil && child.state == "running")
        #expect(child.status.phase == .up && child.status.pid == stage.runtime.pid(of: "orders"))
        #expect(child.status.tokenAge != nil && child.status.credential.kind == .key)
        #expect(child.status.counters.accepted == 3 && child.status.counters.rejectionsByStatus == [410: 1])
        #expect(child.status.counters.rejections == ["Unregistered": 1])
        let text = String(decoding: line, as: UTF8.self)
        let token = try #require(try stage.runtime.connection(named: "orders").providerToken())
        for secret in [device.hex, token.jwt, "Boarding", "Flight A998"] { #expect(!text.contains(secret)) }
        await stage.end()
        #expect(!FileManager.default.fileExists(atPath: path))
        while await client.next() != nil {}
    }

    @Test func anOutageIsToldWithTheNextAttempt() async throws {
        let stage = try Rehearsal.inMemory(runtime: .init(logger: nil, statusSocket: path))
        let owner = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: stage.config, owner: owner)
        try await stage.runtime.connection(named: "orders").waitUntilUp()
        await stage.apple.cutConnections()
        _ = await owner.receive(where: \.isReconnecting)
        let snapshot = try await first(try StatusLines(path))
        let status = try #require(snapshot.tree.children.first?.status)
        let own = try #require(try stage.runtime.connection(named: "orders").status.outage)
        #expect(status.phase == .down && status.outage?.cause == own.cause && status.outage?.attempt == 1)
        let next = try #require(status.outage?.nextAttempt)
        #expect(abs(next.timeIntervalSince(try #require(own.nextAttempt))) < 0.001 && next > snapshot.time)
        await stage.end()
    }

    @Test func aRefusedCredentialIsToldWholly() async throws {
        let credentials = try ThrowAwayCredentials(environments: [.development])
        let stage = try Rehearsal.inMemory(runtime: .init(logger: nil, statusSocket: path)) {
            $0.credentials = credentials
        }
        let orders = try stage.runtime.connect(name: "orders", config: stage.certificateConfig)
        let error = await #expect(throws: PushError.self) { try await orders.push(Samples.flight, to: Samples.token()) }
        #expect(error?.code == .credentialRefused)
        let status = try #require(try await first(try StatusLines(path)).tree.children.first?.status)
        #expect(status.phase == .suspended && status.refusal == orders.status.refusal && status.refusal != nil)
        await stage.end()
    }

    @Test func aRuntimeWithoutItsSocketWorksAndTheLogSaysWhy() async throws {
        let log = CapturedLog()
        let stage = try Rehearsal.inMemory(runtime: .init(logger: log.logger(), statusSocket: "/no/such/folder/a.sock"))
        try stage.runtime.connect(name: "orders", config: stage.config)
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token()).isAccepted)
        let line = log.lines.first { $0.hasPrefix("error the status socket cannot be opened") }
        #expect(line?.contains("The folder /no/such/folder cannot be used") == true)
        await stage.end()
    }

    @Test func aRuntimeHasOneSocketAndNoneAfterItsEnd() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.openStatusSocket(at: path)
        let second = #expect(throws: StatusSocketError.self) { try stage.runtime.openStatusSocket(at: path + "2") }
        #expect(second?.description == "This runtime has a status socket already.")
        #expect(!FileManager.default.fileExists(atPath: path + "2"))
        await stage.end()
        let late = #expect(throws: StatusSocketError.self) { try stage.runtime.openStatusSocket(at: path) }
        #expect(late?.description == "The runtime was shut down." && !FileManager.default.fileExists(atPath: path))
    }

    @Test func aReleasedRuntimeLeavesNoSocket() async throws {
        var runtime: PushRuntime? = PushRuntime(.init(logger: nil, statusSocket: path))
        #expect(runtime?.names == [])
        let client = try StatusLines(path)
        #expect(await client.next() != nil)
        runtime = nil
        #expect(!FileManager.default.fileExists(atPath: path))
        while await client.next() != nil {}
    }

    @Test func asAServiceItsSocketGoesWithTheGracefulShutdown() async throws {
        let stage = try Rehearsal.inMemory(runtime: .init(logger: nil, statusSocket: path))
        let group = ServiceGroup(
            services: [stage.runtime], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let running = Task { try await group.run() }
        let client = try StatusLines(path)
        #expect(await client.next() != nil)
        await group.triggerGracefulShutdown()
        try await running.value
        #expect(!FileManager.default.fileExists(atPath: path))
        while await client.next() != nil {}
        stage.apple.stop()
    }
}
