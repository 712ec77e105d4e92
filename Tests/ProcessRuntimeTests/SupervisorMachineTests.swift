import ProcessRuntime
import Testing

@Suite struct SupervisorMachineTests {
    typealias Machine = SupervisorMachine

    private let one = ProcessID(1)
    private let two = ProcessID(2)
    private let failure = ExitReason.failure(Broken())

    private func at(_ seconds: Double) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: 0).advanced(by: .seconds(seconds))
    }

    private func spec(
        _ id: String, _ policy: RestartPolicy = .permanent, _ intensity: RestartIntensity = .standard
    ) -> ChildSpec {
        ChildSpec(id: id, restart: policy, intensity: intensity) { throw Broken() }
    }

    /// A machine with children that run as processes 1, 2, …
    private func machine(_ specs: ChildSpec...) throws -> Machine {
        var machine = Machine()
        for (index, spec) in specs.enumerated() {
            let attempt = try machine.add(spec)
            #expect(attempt == index + 1)
            let pid = ProcessID(UInt64(index + 1))
            expect(machine.handle(.started(id: spec.id, attempt: attempt, pid: pid), at(0)), [])
        }
        return machine
    }

    /// Equal lists of actions: errors are no Equatable, so their descriptions are compared.
    private func expect(
        _ actions: [Machine.Action], _ expected: [Machine.Action], at location: SourceLocation = #_sourceLocation
    ) {
        #expect(actions.map { "\($0)" } == expected.map { "\($0)" }, sourceLocation: location)
    }

    private func ended(
        _ id: String, _ pid: ProcessID, _ reason: ExitReason, isFinal: Bool = false
    ) -> Machine.Event { .ended(id: id, pid: pid, reason: reason, isFinal: isFinal) }

    // MARK: Restarts

    @Test(arguments: [RestartPolicy.permanent, .transient, .temporary], ["normal", "shutdown", "failure", "killed"])
    func thePolicyAndTheReasonDecide(policy: RestartPolicy, reasonName: String) throws {
        let reasons: [String: ExitReason] = [
            "normal": .normal, "shutdown": .shutdown, "failure": failure, "killed": .killed,
        ]
        let restarting: Set<String> =
            switch policy {
            case .permanent: ["normal", "shutdown", "failure", "killed"]
            case .transient: ["failure", "killed"]
            case .temporary: []
            }
        let reason = try #require(reasons[reasonName])
        var machine = try machine(spec("a", policy))
        expect(
            machine.handle(ended("a", one, reason), at(1)),
            restarting.contains(reasonName)
                ? [
                    .emit(.restarting(id: "a", old: one, reason: reason, delay: .zero)),
                    .start(id: "a", attempt: 2),
                ]
                : [.emit(.ended(id: "a", reason: reason))])
        #expect(machine.statuses.map(\.phase) == (restarting.contains(reasonName) ? [.starting] : []))
        #expect(machine.nextWake == nil)
    }

    @Test(arguments: [RestartPolicy.permanent, .transient, .temporary])
    func aFinalReasonIsFollowedByNoRestart(policy: RestartPolicy) throws {
        var machine = try machine(spec("a", policy))
        expect(
            machine.handle(ended("a", one, failure, isFinal: true), at(1)),
            [.emit(.ended(id: "a", reason: failure))])
    }

    @Test func theDelaysGrowAndTheFourthEndInAMinuteIsTheLast() throws {
        var machine = try machine(spec("a"))
        expect(
            machine.handle(ended("a", one, failure), at(0)),
            [.emit(.restarting(id: "a", old: one, reason: failure, delay: .zero)), .start(id: "a", attempt: 2)])
        expect(
            machine.handle(.started(id: "a", attempt: 2, pid: two), at(0)),
            [.emit(.restarted(id: "a", old: one, new: two))])
        expect(
            machine.handle(ended("a", two, .killed), at(10)),
            [.emit(.restarting(id: "a", old: two, reason: .killed, delay: .seconds(1)))])
        #expect(machine.nextWake == at(11))
        #expect(machine.statuses.map(\.phase) == [.waiting])
        expect(machine.handle(.timePassed, at(10.9)), [])
        expect(machine.handle(.timePassed, at(11)), [.start(id: "a", attempt: 3)])
        expect(
            machine.handle(.startFailed(id: "a", attempt: 3, reason: failure, isFinal: false), at(11)),
            [.emit(.restarting(id: "a", old: two, reason: failure, delay: .seconds(2)))])
        expect(machine.handle(.timePassed, at(13)), [.start(id: "a", attempt: 4)])
        expect(
            machine.handle(.startFailed(id: "a", attempt: 4, reason: failure, isFinal: false), at(60)),
            [.emit(.gaveUp(id: "a", reason: failure))])
        #expect(machine.statuses.isEmpty)
        #expect(machine.nextWake == nil)
    }

    @Test func restartsLeaveTheWindow() throws {
        var machine = try machine(spec("a"))
        var pid = one
        for number in 0..<10 {
            let now = at(Double(number) * 61)
            let actions = machine.handle(ended("a", pid, failure), now)
            let attempt = number + 2
            expect(
                actions,
                [
                    .emit(.restarting(id: "a", old: pid, reason: failure, delay: .zero)),
                    .start(id: "a", attempt: attempt),
                ])
            pid = ProcessID(UInt64(100 + number))
            _ = machine.handle(.started(id: "a", attempt: attempt, pid: pid), now)
        }
    }

    @Test func aRestartThatFailsForGoodIsAnEnd() throws {
        var machine = try machine(spec("a"))
        _ = machine.handle(ended("a", one, failure), at(0))
        expect(
            machine.handle(.startFailed(id: "a", attempt: 2, reason: failure, isFinal: true), at(0)),
            [.emit(.ended(id: "a", reason: failure))])
    }

    @Test func siblingsNeverNotice() throws {
        var machine = try machine(spec("a"), spec("b"))
        for _ in 0..<4 {
            for action in machine.handle(ended("a", machine.pid(of: "a") ?? one, failure), at(0)) {
                if case .start(let id, let attempt) = action {
                    #expect(id == "a")
                    _ = machine.handle(.started(id: id, attempt: attempt, pid: ProcessID(9)), at(0))
                }
            }
            for action in machine.handle(.timePassed, at(3)) {
                if case .start(let id, let attempt) = action {
                    #expect(id == "a")
                    _ = machine.handle(.started(id: id, attempt: attempt, pid: ProcessID(9)), at(3))
                }
            }
        }
        #expect(machine.statuses.map(\.id) == ["b"])
        #expect(machine.pid(of: "b") == two)
    }

    @Test func dueRestartsComeInTheOrderOfTheirInstants() throws {
        let slow = try RestartIntensity(delays: [.seconds(5)])
        let quick = try RestartIntensity(delays: [.seconds(2)])
        var machine = try machine(spec("a", .permanent, slow), spec("b", .permanent, quick))
        _ = machine.handle(ended("a", one, failure), at(0))
        _ = machine.handle(ended("b", two, failure), at(1))
        #expect(machine.nextWake == at(3))
        expect(machine.handle(.timePassed, at(9)), [.start(id: "b", attempt: 4), .start(id: "a", attempt: 3)])
    }

    // MARK: What comes too late

    @Test func aStaleEndIsNoNews() throws {
        var machine = try machine(spec("a"))
        _ = machine.handle(ended("a", one, failure), at(0))
        _ = machine.handle(.started(id: "a", attempt: 2, pid: two), at(0))
        expect(machine.handle(ended("a", one, failure), at(1)), [])
        expect(machine.handle(ended("b", two, failure), at(1)), [])
        #expect(machine.pid(of: "a") == two)
    }

    @Test func aReleasedChildIsNotRestarted() throws {
        var machine = try machine(spec("a"), spec("b"))
        expect(machine.handle(.released(id: "a"), at(0)), [])
        expect(machine.handle(ended("a", one, failure), at(0)), [])
        _ = machine.handle(ended("b", two, failure), at(0))
        _ = machine.handle(.startFailed(id: "b", attempt: 3, reason: failure, isFinal: false), at(0))
        #expect(machine.nextWake == at(1))
        expect(machine.handle(.released(id: "b"), at(0)), [])
        #expect(machine.nextWake == nil)
        expect(machine.handle(.timePassed, at(1)), [])
        expect(machine.handle(.released(id: "b"), at(0)), [])
    }

    @Test func aProcessStartedForAReleasedChildIsStopped() throws {
        var machine = try machine(spec("a"))
        _ = machine.handle(ended("a", one, failure), at(0))
        _ = machine.handle(.released(id: "a"), at(0))
        #expect(try machine.add(spec("a")) == 3)
        #expect(machine.spec(of: "a", starting: 2) == nil)
        #expect(machine.spec(of: "a", starting: 3) != nil)
        expect(machine.handle(.started(id: "a", attempt: 2, pid: two), at(0)), [.stop(two)])
        expect(machine.handle(.startFailed(id: "a", attempt: 2, reason: failure, isFinal: false), at(0)), [])
        #expect(machine.statuses.map(\.phase) == [.starting])
    }

    @Test func anIdIsTakenOnce() throws {
        var machine = try machine(spec("a"))
        #expect(throws: SupervisorError.childExists(id: "a")) { try machine.add(spec("a")) }
        let attempt = try machine.add(spec("b"))
        expect(machine.handle(.startFailed(id: "b", attempt: attempt, reason: failure, isFinal: true), at(0)), [])
        #expect(try machine.add(spec("b")) == attempt + 1)
    }

    // MARK: Shutdown

    @Test func theYoungestIsStoppedFirst() throws {
        var machine = try machine(spec("a"), spec("b", .temporary))
        expect(machine.handle(.shutdown(deadline: at(60)), at(0)), [.stop(two)])
        #expect(machine.nextWake == at(5))
        #expect(machine.statuses.map(\.phase) == [.running, .stopping])
        #expect(throws: SupervisorError.shutDown) { try machine.add(spec("c")) }
        expect(
            machine.handle(ended("b", two, .shutdown), at(1)),
            [.emit(.ended(id: "b", reason: .shutdown)), .stop(one)])
        #expect(machine.nextWake == at(6))
        expect(
            machine.handle(ended("a", one, failure), at(2)),
            [.emit(.ended(id: "a", reason: failure)), .finished])
        #expect(machine.isFinished)
        #expect(machine.nextWake == nil)
        expect(machine.handle(.shutdown(deadline: at(9)), at(3)), [.finished])
    }

    @Test func aChildPastItsDeadlineIsKilled() throws {
        var machine = try machine(spec("a"), spec("b"))
        _ = machine.handle(.shutdown(deadline: at(60)), at(0))
        expect(machine.handle(.timePassed, at(4.9)), [])
        expect(machine.handle(.timePassed, at(5)), [.kill(two)])
        expect(
            machine.handle(ended("b", two, .killed), at(5)),
            [.emit(.ended(id: "b", reason: .killed)), .stop(one)])
    }

    @Test func pastTheWholeDeadlineAllAreKilledAndSoonNotWaitedFor() throws {
        var machine = try machine(spec("a"), spec("b"))
        _ = machine.handle(.shutdown(deadline: at(60)), at(0))
        expect(machine.handle(.shutdown(deadline: at(3)), at(1)), [])
        #expect(machine.nextWake == at(3))
        expect(machine.handle(.timePassed, at(3)), [.kill(two), .kill(one)])
        expect(machine.handle(ended("a", one, .killed), at(3)), [.emit(.ended(id: "a", reason: .killed))])
        #expect(machine.nextWake == at(4))
        expect(machine.handle(.timePassed, at(4)), [.finished])
    }

    @Test func nothingIsRestartedInAShutdown() throws {
        var machine = try machine(spec("a"), spec("b"), spec("c"))
        _ = machine.handle(ended("c", ProcessID(3), failure), at(0))
        _ = machine.handle(.startFailed(id: "c", attempt: 4, reason: failure, isFinal: false), at(0))
        expect(
            machine.handle(.shutdown(deadline: at(60)), at(0)),
            [.emit(.ended(id: "c", reason: .shutdown)), .stop(two)])
        expect(machine.handle(ended("a", one, failure), at(0)), [.emit(.ended(id: "a", reason: failure))])
        expect(
            machine.handle(ended("b", two, .shutdown), at(0)),
            [.emit(.ended(id: "b", reason: .shutdown)), .finished])
    }

    @Test func aChildThatIsBeingStartedIsStoppedWhenItRuns() throws {
        var machine = try machine(spec("a"))
        _ = machine.handle(ended("a", one, failure), at(0))
        expect(machine.handle(.shutdown(deadline: at(60)), at(0)), [])
        expect(
            machine.handle(.started(id: "a", attempt: 2, pid: two), at(0)),
            [.emit(.restarted(id: "a", old: one, new: two)), .stop(two)])
        expect(machine.handle(.released(id: "a"), at(0)), [.finished])
    }

    @Test func withoutChildrenAShutdownIsOverAtOnce() throws {
        var machine = Machine()
        expect(machine.handle(.shutdown(deadline: at(1)), at(0)), [.finished])
    }

    // MARK: Intensity

    @Test func delaysThatFillThePeriodAreRefused() throws {
        #expect(throws: InvalidRestartIntensity.self) { try RestartIntensity(delays: [.seconds(20)]) }
        #expect(throws: InvalidRestartIntensity.self) { try RestartIntensity(period: .seconds(3)) }
        #expect(throws: InvalidRestartIntensity.self) { try RestartIntensity(limit: -1) }
        #expect(throws: InvalidRestartIntensity.self) { try RestartIntensity(period: .zero) }
        #expect(throws: InvalidRestartIntensity.self) { try RestartIntensity(delays: [.seconds(-1)]) }
        #expect(throws: InvalidRestartIntensity.self) { try RestartIntensity(limit: .max) }
        let endless = Duration.seconds(Int64.max)
        #expect(throws: InvalidRestartIntensity.self) {
            try RestartIntensity(limit: 30, period: endless, delays: Array(repeating: endless, count: 30))
        }
        #expect(try RestartIntensity() == .standard)
        #expect(try RestartIntensity(limit: 0).limit == 0)
        #expect(
            try RestartIntensity(limit: 2, period: .seconds(60), delays: [.zero, .seconds(59), .seconds(99)]).limit == 2
        )
        #expect(try RestartIntensity(limit: .max, delays: []).delays == [])
    }

    @Test func aLimitOfZeroGivesUpAtOnce() throws {
        var machine = try machine(spec("a", .permanent, RestartIntensity(limit: 0)))
        expect(machine.handle(ended("a", one, failure), at(0)), [.emit(.gaveUp(id: "a", reason: failure))])
    }
}
