import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// Processes that are killed at whatever moment, over real sockets and in memory.
@Suite(.timeLimit(.minutes(5))) struct KilledProcessTests {
    @Test("parity: E11 – every process gets its down, however early it is killed")
    func everyProcessGetsItsDown() async throws {
        let stage = try Rehearsal.inMemory()
        let owner = Mailbox<LifecycleMessage>()
        let intensity = try RestartIntensity(limit: 1_000, period: .seconds(60), delays: [])
        try stage.runtime.connect(
            name: "orders", config: stage.config.with { $0.retry.restartIntensity = intensity }, owner: owner)
        var killed: ProcessID?
        for _ in 0..<200 {
            guard let pid = await successor(of: killed, stage) else { Issue.record("none"); return }
            // Found by its name a moment ago: it may not have begun.
            stage.runtime.kill(pid)
            let down = await owner.receive(timeout: .seconds(120)) {
                if case .down(pid, _) = $0 { true } else { false }
            }
            guard down != nil else { Issue.record("nobody was told of the end of \(pid)"); return }
            killed = pid
        }
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token()).isAccepted)
        await stage.end()
    }

    private func successor(of pid: ProcessID?, _ stage: Rehearsal) async -> ProcessID? {
        var next: ProcessID?
        let isThere = await reaches {
            next = stage.runtime.pid(of: "orders")
            return next != nil && next != pid
        }
        return isThere ? next : nil
    }

    @Test("parity: P5 – a process that is killed while it dials leaves no connection behind", arguments: [true, false])
    func noConnectionIsLeftBehind(overSockets: Bool) async throws {
        let stage = try overSockets ? Rehearsal.overLoopback() : Rehearsal.inMemory()
        let owner = Mailbox<LifecycleMessage>()
        let count = 200
        for number in 0..<count {
            let pid = try #require(try stage.runtime.connect(config: stage.config, owner: owner).pid)
            // A longer and longer way, so that the kill meets the lookup, the connect, the handshake and what follows.
            await giveTurns(number * 4)
            stage.runtime.kill(pid)
            let down = await owner.receive(timeout: .seconds(120)) {
                if case .down(pid, _) = $0 { true } else { false }
            }
            #expect(down != nil)
        }
        let isClean = await stage.apple.ledger.wait(within: .seconds(120)) { $0.openConnections == 0 }
        #expect(isClean, "\(stage.apple.ledger.snapshot)")
        #expect(stage.apple.ledger.snapshot.connections > 0)
        await stage.end()
    }
}
