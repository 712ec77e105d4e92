import ProcessRuntime
import PushTransport
import Testing

@testable import SupervisedPush

@Suite struct ClosingTests {
    func deadline(_ seconds: Int, _ harness: MachineHarness) -> ConnectionMachine.Event {
        .close(deadline: harness.now.advanced(by: .seconds(seconds)))
    }

    @Test func anIdleConnectionEndsAtOnce() {
        var harness = MachineHarness.up()
        #expect(harness.feed(deadline(5, harness)) == ["close 1", "stop"])
        #expect(harness.machine.phase == .ended)
        #expect(harness.machine.nextWake == nil)
    }

    @Test func aConnectionThatNeverBeganEndsAtOnce() {
        var harness = MachineHarness()
        #expect(harness.feed(deadline(5, harness)) == ["stop"])
    }

    @Test func whatWaitsIsStillSentAndWhatFliesMayFinish() {
        var harness = MachineHarness.up(limit: 1)
        _ = harness.push(1, 2)
        #expect(harness.feed(deadline(5, harness)) == [])
        #expect(harness.answer(1) == ["finish 1: 200", "submit 2 on 1/3"])
        #expect(harness.answer(2) == ["finish 2: 200", "close 1", "stop"])
    }

    @Test func whileDialingItSendsWhatItCanByTheDeadline() {
        var harness = MachineHarness()
        _ = harness.feed(.start)
        _ = harness.push(1)
        _ = harness.feed(deadline(5, harness))
        #expect(harness.feed(.settings(MachineHarness.link(1), maxStreams: 1)) == ["up 1", "submit 1 on 1/1"])
        #expect(harness.answer(1) == ["finish 1: 200", "close 1", "stop"])
    }

    @Test func atTheDeadlineWaitingIsNotSentAndWrittenIsUnknown() {
        var harness = MachineHarness.up(limit: 2)
        harness.fates = [2: .unprocessed]
        _ = harness.push(1, 2, 3)
        _ = harness.feed(deadline(5, harness))
        #expect(
            harness.advance(by: .seconds(5)) == [
                "finish 1: closed unknown", "finish 2: closed unprocessed", "finish 3: closed not_sent", "close 1",
                "stop",
            ])
    }

    @Test func whileDownTheDeadlineEndsTheWaiting() {
        var harness = MachineHarness()
        _ = harness.feed(.start)
        _ = harness.push(1)
        _ = harness.lose(link: 1)
        _ = harness.feed(.close(deadline: harness.now.advanced(by: .milliseconds(500))))
        #expect(harness.advance(by: .milliseconds(500)) == ["finish 1: closed not_sent", "stop"])
    }

    @Test func lateWindowsEndWithTheConnection() {
        var harness = MachineHarness.up()
        _ = harness.push(1)
        _ = harness.advance(by: .seconds(10))
        #expect(harness.feed(deadline(5, harness)) == ["late 1: no answer", "close 1", "stop"])
    }

    @Test func aPushThatCrossedTheEndIsAnswered() {
        var harness = MachineHarness.up()
        _ = harness.feed(deadline(5, harness))
        #expect(harness.push(1) == ["finish 1: closed not_sent"])
    }

    @Test("parity: F5 – what waits and what was not processed passes on; what was written is unknown")
    func aFailedProcessSurrendersWhatItsSuccessorCanGoOnWith() {
        var harness = MachineHarness.up(limit: 3)
        _ = harness.push(1, 2, 3, 4)
        let streams = [
            LostStream(slot: harness.slots[1] ?? -1, fate: .written, answer: nil),
            LostStream(slot: harness.slots[2] ?? -1, fate: .unprocessed, answer: nil),
            LostStream(slot: harness.slots[3] ?? -1, fate: .notSent, answer: nil),
        ]
        #expect(
            harness.fail([LostLink(id: MachineHarness.link(1), streams: streams)]) == [
                "finish 1: connection_lost unknown"
            ])
        let waiting = (UInt64(2)...4).map { harness.waiting($0).map { harness.room.table[$0.roomSlot] } }
        #expect(waiting.map { $0??.history.worst } == [.unprocessed, .notSent, .notSent])
        #expect(waiting.map { $0??.admission } == [.free, .free, .counted])
        _ = harness.feed(.start)
        #expect(
            harness.comeUp(link: 1) == ["up 1", "submit 2 on 1/1 again", "submit 3 on 1/3 again", "submit 4 on 1/5"])
    }
}
