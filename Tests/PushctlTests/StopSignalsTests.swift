import ProcessRuntime
import PushTerminal
import SupervisedPush
import Testing

@testable import pushctl

/// What signals ask for, by the time at which they come.
@Suite struct StopSignalsTests {
    private func instant(_ milliseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: 5_000_000_000 + milliseconds * 1_000_000)
    }

    private func requests(_ signals: [(StopSignal, Int64)]) -> [StopSignals.Request?] {
        var machine = StopSignals()
        return signals.map { machine.receive($0, at: instant($1)) }
    }

    @Test func theFirstSignalAsksToDrain() {
        for signal in StopSignal.allCases { #expect(requests([(signal, 0)]) == [.drain(signal)]) }
    }

    @Test func aSignalThatIsDoubledAsksForNothingNew() {
        #expect(requests([(.terminate, 0), (.terminate, 0), (.terminate, 999)]) == [.drain(.terminate), nil, nil])
        // Nor does another one: a shell that loses its terminal sends both.
        #expect(requests([(.hangUp, 0), (.terminate, 1)]) == [.drain(.hangUp), nil])
    }

    @Test func aSignalInsistsOnceFromASecondAfterTheFirst() {
        #expect(
            requests([(.interrupt, 0), (.interrupt, 500), (.interrupt, 1_000), (.interrupt, 3_000)])
                == [.drain(.interrupt), nil, .leave, nil])
    }

    @Test func theTimeCountsFromTheFirstSignalAndNotFromTheLatest() {
        let impatient = (0...15).map { (StopSignal.interrupt, Int64($0) * 100) }
        #expect(requests(impatient).count { $0 == .leave } == 1)
        #expect(requests(impatient)[10] == .leave)
    }

    @Test func theFirstSignalGivesTheExitStatus() {
        var machine = StopSignals()
        #expect(machine.first == nil)
        _ = machine.receive(.hangUp, at: instant(0))
        _ = machine.receive(.interrupt, at: instant(2_000))
        #expect(machine.first == .hangUp && machine.first?.status.rawValue == 129)
    }

    @Test func whatIsWaitedForIsSaid() {
        #expect(
            StopNotice.line(.interrupt, underWay: 1, drain: .seconds(10))
                == "pushctl: stopping: 1 push under way, up to 10 s; Ctrl-C once more after a second leaves it as unknown"
        )
        #expect(
            StopNotice.line(.hangUp, underWay: 1_602, drain: .seconds(2.5))
                == "pushctl: stopping: 1,602 pushes under way, up to 2.5 s; another signal after a second leaves them"
                + " as unknown")
        #expect(
            StopNotice.line(.terminate, underWay: 2, what: "request", drain: .seconds(1))?.contains("2 requests under")
                == true
        )
        // Nothing is waited for.
        #expect(StopNotice.line(.interrupt, underWay: 0, drain: .seconds(10)) == nil)
        #expect(StopNotice.line(.interrupt, underWay: 5, drain: .seconds(0)) == nil)
    }
}
