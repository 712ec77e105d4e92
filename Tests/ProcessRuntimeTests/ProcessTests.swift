import Dispatch
import ProcessRuntime
import PushLocking
import Testing

@Suite(.timeLimit(.minutes(5))) struct ProcessTests {
    let system = ProcessSystem()
    let log = Recorder<String>()

    /// A process that is held in a message, its log read up to there.
    private func held(_ setUp: (Scripted) -> Void = { _ in }) async -> (Address<Scripted.Message>, Gate) {
        let gate = Gate()
        let process = system.spawnScripted(log, setUp)
        #expect(await log.next(2) == ["started", "flush"])
        process.send(.run { _, _ in gate.hold() })
        await gate.waitUntilHeld()
        return (process, gate)
    }

    @Test func aBurstIsHandledInOrderAndFlushedOnce() async {
        let (process, gate) = await held()
        for text in ["a", "b", "c"] { process.send(.note(text)) }
        gate.open()
        #expect(await log.next(5) == ["flush", "a", "b", "c", "flush"])
    }

    @Test func aLongBurstIsHandledInPiecesEachFlushed() async {
        let (process, gate) = await held()
        for number in 0..<1_200 { process.send(.note("\(number)")) }
        gate.open()
        let notes = await log.next(1_204)
        #expect(notes.compactMap { (note: String) -> Int? in Int(note) } == Array(0..<1_200))
        #expect(notes.count { $0 == "flush" } == 4)
        #expect(notes.indices.filter { notes[$0] == "flush" } == [0, 513, 1_026, 1_203])
    }

    @Test func killOvertakesWhatWaits() async {
        let (process, gate) = await held()
        process.send(.note("unread"))
        process.send(.note("unread"))
        system.exit(process.pid, .killed)
        gate.open()
        #expect(await log.next(2) == ["terminated killed", "released"])
        #expect(await system.down(process.pid) == "killed")
        #expect(system.deadLetters == 3)  // Two unread, one sent to itself in `terminated`.
    }

    @Test func anExitRequestTakesItsTurn() async {
        let (process, gate) = await held()
        process.send(.note("before"))
        system.exit(process.pid, .shutdown)
        process.send(.note("after"))
        gate.open()
        #expect(await log.next(5) == ["flush", "before", "exit? shutdown", "terminated shutdown", "released"])
    }

    @Test func aKillAtTheStartEndsItOnce() async {
        let process = system.spawnScripted(log) { $0.startFails = true }
        system.exit(process.pid, .killed)
        let reason = await system.down(process.pid)
        // The kill and the start race; whichever comes first, the end comes once.
        #expect(["killed", "failure(broken)"].contains(reason))
        #expect(log.all.filter { $0.hasPrefix("terminated") } == ["terminated \(reason)"])
        #expect(log.all.last == "released")
    }

    @Test func aProcessThatIsIntroducedCannotEndBefore() async {
        let process = system.spawn(label: "introduced") {
            Scripted(log)
        } introducing: { process in
            process.send(.note("unread"))
            system.exit(process.pid, .killed)
            // Time enough for a process that had begun.
            DispatchQueue.global(qos: .userInteractive).sync {}
            log.record("introduced")
        }
        #expect(await system.down(process.pid) == "killed")
        #expect(log.all == ["introduced", "terminated killed", "released"])
    }

    @Test func aProcessWhoseIntroductionFailsEndsWithoutHavingBegun() async {
        let pid = Locked<ProcessID?>(nil)
        #expect(throws: Broken.self) {
            _ = try system.spawn(label: "introduced") {
                Scripted(log)
            } introducing: { process in
                pid.withLock { $0 = process.pid }
                throw Broken()
            }
        }
        if let pid = pid.withLock({ $0 }) { #expect(await system.down(pid) == "killed") }
        #expect(log.all == ["terminated killed", "released"] && system.processes.isEmpty)
    }

    @Test func anExitRequestMayBeRefusedAKillMayNot() async {
        let (process, gate) = await held { $0.refusesToExit = true }
        gate.open()
        system.exit(process.pid, .normal)
        process.send(.note("lives"))
        var seen: [String] = []
        while !seen.contains("lives"), let next = await log.next() { seen.append(next) }
        #expect(seen.filter { $0 != "flush" } == ["exit? normal", "lives"])
        system.exit(process.pid, .killed)
        #expect(await system.down(process.pid) == "killed")
    }

    @Test func anExitEndsAfterTheCurrentMessageAndTheFirstReasonCounts() async {
        let (process, gate) = await held()
        process.send(
            .run { behavior, context in
                context.exit(.normal)
                context.exit(.shutdown)
                behavior.log.record("still here")
            })
        process.send(.note("unread"))
        gate.open()
        #expect(await log.next(4) == ["flush", "still here", "terminated normal", "released"])
        #expect(!process.send(.note("late")))
        #expect(!system.isAlive(process.pid))
        #expect(system.deadLetters == 3)
    }

    @Test func aKillOverridesAnExitOfTheSameMessage() async {
        let process = system.spawnScripted(log)
        process.send(
            .run { _, context in
                context.exit(.normal)
                context.system.exit(context.pid, .killed)
            })
        #expect(await system.down(process.pid) == "killed")
    }

    @Test(arguments: ["start", "receive", "flush"])
    func aThrowEndsTheProcessAsAFailure(place: String) async {
        let process = system.spawnScripted(log) {
            $0.startFails = place == "start"
            $0.flushFails = place == "flush"
        }
        process.send(.run { _, _ in if place == "receive" { throw Broken() } })
        #expect(await system.down(process.pid) == "failure(broken)")
        #expect(log.all.filter { $0.hasPrefix("terminated") } == ["terminated failure(broken)"])
        #expect(log.all.last == "released")
    }

    @Test func aThrowBeforeTheSpawnStartsNothing() {
        #expect(throws: Broken.self) {
            _ = try system.spawn(label: "never") { () throws(Broken) -> Scripted in throw Broken() }
        }
        #expect(system.processes.isEmpty)
    }

    @Test func performCountsAsAMessage() async throws {
        let (process, gate) = await held()
        let performed = Recorder<@Sendable () -> Void>()
        process.send(
            .run { behavior, context in
                let callback = context.callback { [unowned behavior] in
                    behavior.log.record("event")
                    context.perform { behavior.log.record("inner") }  // Within one: no second flush.
                }
                performed.record { [queue = context.queue] in queue.async(execute: callback) }
            })
        gate.open()
        #expect(await log.next(2) == ["flush", "flush"])
        let perform = try #require(await performed.next())
        perform()
        #expect(await log.next(3) == ["event", "inner", "flush"])
        process.send(
            .run { _, context in
                let callback = context.callback { (error: Broken) in throw error }
                context.queue.async { callback(Broken()) }
                context.queue.async { callback(Broken()) }  // After the end: nothing.
            })
        #expect(await log.next(3) == ["flush", "terminated failure(broken)", "released"])
    }

    @Test func performWithinAMessageFailsTheProcessAfterIt() async {
        let process = system.spawnScripted(log)
        process.send(
            .run { behavior, context in
                context.perform { throw Broken() }
                behavior.log.record("after")
            })
        #expect(await system.down(process.pid) == "failure(broken)")
        #expect(log.all.suffix(3) == ["after", "terminated failure(broken)", "released"])
    }

    @Test func timersOfAProcessFireAsMessages() async {
        let time = ManualTime()
        let system = ProcessSystem(time: time)
        let timers = Recorder<any OneShotTimer>()
        let process = system.spawnScripted(log)
        process.send(
            .run { behavior, context in
                let timer = context.makeTimer { [unowned behavior] in behavior.log.record("fired") }
                timer.arm(at: context.time.now.advanced(by: .seconds(3)))
                timers.record(timer)
            })
        _ = await timers.next()
        await time.waitUntilArmed()
        time.advance(by: .seconds(2))
        #expect(!log.all.contains("fired"))
        time.advance(by: .seconds(1))
        #expect(log.all.suffix(2) == ["fired", "flush"])
    }

    @Test func messagesFromManyThreadsAllArriveInTheOrderOfEachSender() async {
        let sums = Locked<[Int: [Int]]>([:])
        let done = Recorder<Void>()
        let process = system.spawnScripted(log)
        DispatchQueue.concurrentPerform(iterations: 8) { sender in
            for number in 0..<1_000 {
                process.send(
                    .run { _, _ in
                        let count = sums.withLock { sums in
                            sums[sender, default: []].append(number)
                            return sums.values.reduce(0) { $0 + $1.count }
                        }
                        if count == 8_000 { done.record(()) }
                    })
            }
        }
        await done.next()
        #expect(sums.withLock { $0 } == Dictionary(uniqueKeysWithValues: (0..<8).map { ($0, Array(0..<1_000)) }))
    }

    @Test func addressesAndPidsAreTellable() async {
        let one = system.spawnScripted(log)
        let two = system.spawnScripted(log)
        #expect(one != two)
        #expect(Set([one, two, one]).count == 2)
        #expect(one.pid.description.hasPrefix("<"))
        #expect(system.isAlive(one.pid))
        for process in [one, two] {
            system.exit(process.pid, .killed)
            #expect(await system.down(process.pid) == "killed")
        }
        #expect(system.processes.isEmpty)
    }
}
