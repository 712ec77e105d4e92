import Dispatch
import ProcessRuntime
import PushLocking
import Testing

@Suite(.timeLimit(.minutes(5))) struct SupervisorTests {
    private let time = ManualTime()
    private let log = Recorder<String>()
    private let events = Recorder<SupervisorEvent>()
    private let system: ProcessSystem
    private let supervisor: Supervisor

    init() {
        system = ProcessSystem(time: time)
        supervisor = Supervisor(system: system, label: "supervisor") { [events] in events.record($0) }
    }

    private func spec(
        _ id: String, _ restart: RestartPolicy = .permanent, refusesToExit: Bool = false
    ) -> ChildSpec {
        ChildSpec(id: id, restart: restart) { [system, log] in
            system.spawnScripted(log) { $0.refusesToExit = refusesToExit }.pid
        }
    }

    @Test func aChildIsRestartedWithANewPid() async throws {
        let pid = try supervisor.add(spec("a"))
        system.exit(pid, .killed)
        let both = await events.next(2)
        guard case .restarting("a", pid, .killed, .zero)? = both.first,
            case .restarted("a", pid, let new)? = both.last
        else {
            Issue.record("\(both)")
            return
        }
        #expect(system.isAlive(new))
        let status = try #require(supervisor.children().first)
        #expect((status.id, status.pid, status.recentRestarts) == ("a", new, 1))
        #expect(status.phase == .running)
    }

    @Test func delaysAreWaitedForAndThenItGivesUp() async throws {
        let pids = Recorder<ProcessID>()
        var spec = spec("a")
        spec.start = { [system, log] in
            let pid = system.spawnScripted(log).pid
            pids.record(pid)
            return pid
        }
        _ = try supervisor.add(spec)
        for delay in [0, 1, 2] {
            system.exit(try #require(await pids.next()), .killed)
            if delay > 0 {
                await time.waitUntilArmed()
                time.advance(by: .seconds(delay))
            }
        }
        system.exit(try #require(await pids.next()), .killed)
        let all = await events.next(7)
        guard case .gaveUp("a", .killed)? = all.last else {
            Issue.record("\(all)")
            return
        }
        #expect(supervisor.children().isEmpty)
        #expect(pids.all.count == 4)
    }

    @Test func aRestartThatThrowsCountsAndIsTriedAgain() async throws {
        let starts = Locked(0)
        var spec = spec("a")
        spec.start = { [system, log] in
            guard
                starts.withLock({
                    $0 += 1; return $0
                }) != 2
            else { throw Broken() }
            return system.spawnScripted(log).pid
        }
        let pid = try supervisor.add(spec)
        system.exit(pid, .killed)
        #expect(await events.next(2).map { "\($0)" }.last?.contains("failure(broken)") == true)
        await time.waitUntilArmed()
        time.advance(by: .seconds(1))
        guard case .restarted("a", pid, _)? = await events.next() else {
            Issue.record("not restarted")
            return
        }
    }

    @Test func theSpecMayCallAReasonFinal() async throws {
        var spec = spec("a")
        spec.restarts = { if case .failure(is Broken) = $0 { false } else { true } }
        let address = Locked<Address<Scripted.Message>?>(nil)
        spec.start = { [system, log] in
            let process = system.spawnScripted(log)
            address.withLock { $0 = process }
            return process.pid
        }
        _ = try supervisor.add(spec)
        address.withLock { $0 }?.send(.run { _, _ in throw Broken() })
        guard case .ended("a", .failure(is Broken))? = await events.next() else {
            Issue.record("not final")
            return
        }
    }

    @Test func aStartThatThrowsAddsNothing() throws {
        var spec = spec("a")
        spec.start = { throw Broken() }
        #expect(throws: Broken.self) { try supervisor.add(spec) }
        #expect(supervisor.children().isEmpty)
        _ = try supervisor.add(self.spec("a"))
        #expect(throws: SupervisorError.childExists(id: "a")) { try supervisor.add(self.spec("a")) }
    }

    @Test func aReleasedChildGoesOnAndIsNotRestarted() async throws {
        let pid = try supervisor.add(spec("a"))
        #expect(supervisor.release("a") == pid)
        #expect(supervisor.release("a") == nil)
        #expect(system.isAlive(pid))
        system.exit(pid, .killed)
        _ = await system.down(pid)
        let other = try supervisor.add(spec("b", .temporary))
        system.exit(other, .killed)
        guard case .ended("b", .killed)? = await events.next() else {
            Issue.record("an event of a released child")
            return
        }
    }

    @Test func theObserverMayCallTheSupervisor() async throws {
        let mine = Locked<Supervisor?>(nil)
        let seen = Recorder<[String]>()
        let supervisor = Supervisor(system: system, label: "mine") { event in
            guard case .restarted(let id, _, _) = event else { return }
            let supervisor = mine.withLock { $0 }
            supervisor?.release(id)
            seen.record(supervisor?.children().map(\.id) ?? [])
        }
        mine.withLock { $0 = supervisor }
        let pid = try supervisor.add(spec("a"))
        system.exit(pid, .killed)
        #expect(await seen.next() == [])
        mine.withLock { $0 = nil }
    }

    @Test func aShutdownStopsTheYoungestFirst() async throws {
        let pids = try ["a", "b", "c"].map { try supervisor.add(spec($0)) }
        async let first: Void = supervisor.shutdown(within: .seconds(10))
        await supervisor.shutdown(within: .seconds(10))
        await first
        await supervisor.shutdown(within: .seconds(10))
        #expect(
            await events.next(3).map { "\($0)" }
                == ["c", "b", "a"].map { "\(SupervisorEvent.ended(id: $0, reason: .shutdown))" })
        #expect(!pids.contains { system.isAlive($0) })
        #expect(throws: SupervisorError.shutDown) { try supervisor.add(spec("d")) }
    }

    @Test func aShutdownOvertakesWhatWaitsAndKillsWhoStays() async throws {
        let pid = try supervisor.add(spec("a", refusesToExit: true))
        async let end: Void = supervisor.shutdown(within: .seconds(60))
        while await log.next() != "exit? shutdown" {}
        await time.waitUntilArmed(by: time.now.advanced(by: .seconds(5)))
        time.advance(by: .seconds(5))
        await end
        #expect(await system.down(pid) == "killed")
    }
}
