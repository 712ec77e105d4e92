import ProcessRuntime
import PushLocking
import Testing

@Suite(.timeLimit(.minutes(5))) struct MonitorTests {
    let system = ProcessSystem()
    let log = Recorder<String>()

    @Test func everyMonitorHearsOnceAfterTheEnd() async {
        let process = system.spawnScripted(log)
        #expect(await log.next(2) == ["started", "flush"])
        for name in ["one", "two"] {
            system.monitor(process.pid) { [log] pid, reason in log.record("\(name): \(reason) \(pid == process.pid)") }
        }
        system.exit(process.pid, .normal)
        #expect(
            await log.next(5) == [
                "exit? normal", "terminated normal", "released", "one: normal true", "two: normal true",
            ])
    }

    @Test func aDeadPidIsToldWithItsReason() async {
        let process = system.spawnScripted(log)
        system.exit(process.pid, .killed)
        #expect(await system.down(process.pid) == "killed")
        #expect(await system.down(process.pid) == "killed")
    }

    @Test func anUnknownPidIsNoProcess() async {
        let pid = ProcessSystem().spawnScripted(log).pid
        #expect(await system.down(pid) == "failure(no process \(pid))")
    }

    @Test func aMonitorTakenBackHearsNothing() async {
        let process = system.spawnScripted(log)
        let reference = system.monitor(process.pid) { [log] _, _ in log.record("never") }
        #expect(system.demonitor(reference))
        #expect(!system.demonitor(reference))
        system.exit(process.pid, .killed)
        #expect(await system.down(process.pid) == "killed")
        #expect(!log.all.contains("never"))
    }

    @Test func aMonitorMayCallTheSystem() async {
        let process = system.spawnScripted(log)
        let done = Recorder<String>()
        system.monitor(process.pid) { [system] pid, _ in
            system.monitor(pid) { done.record("\(system.isAlive($0)) \($1)") }
        }
        system.exit(process.pid, .shutdown)
        #expect(await done.next() == "false shutdown")
    }

    @Test func theReasonsOfLongDeadProcessesAreForgotten() async {
        let first = system.spawnScripted(log)
        system.exit(first.pid, .normal)
        #expect(await system.down(first.pid) == "normal")
        for _ in 0..<1_024 {
            let other = system.spawnScripted(log)
            system.exit(other.pid, .killed)
            _ = await system.down(other.pid)
        }
        #expect(await system.down(first.pid) == "failure(no process \(first.pid))")
    }
}
