import PushTransport
import Testing

@testable import SupervisedPush

@Suite struct CancelTests {
    @Test func aWaitingPushIsNotSent() {
        var harness = MachineHarness()
        let record = harness.record(1)
        _ = harness.offer([record])
        #expect(harness.feed(.cancel(record)) == ["finish 1: cancelled not_sent"])
        #expect(harness.feed(.cancel(record)) == [])
    }

    @Test func aWrittenPushIsUnknownAndItsStreamReset() {
        var harness = MachineHarness.up()
        let record = harness.record(1)
        _ = harness.offer([record])
        #expect(harness.feed(.cancel(record)) == ["reset 1/1", "finish 1: cancelled unknown"])
        #expect(harness.machine.current?.open == 0)
    }

    @Test func aPushWhoseEndWasNotEncryptedIsUnprocessed() {
        var harness = MachineHarness.up()
        harness.fates = [1: .unprocessed]
        let record = harness.record(1)
        _ = harness.offer([record])
        #expect(harness.feed(.cancel(record)) == ["reset 1/1", "finish 1: cancelled unprocessed"])
    }

    @Test func withoutBudgetForAResetTheStreamStaysOpen() {
        var harness = MachineHarness.up()
        let records = (UInt64(1)...101).map { harness.record($0) }
        _ = harness.offer(records)
        for record in records.dropLast() { #expect(harness.feed(.cancel(record)).count == 2) }
        #expect(harness.feed(.cancel(records[100])) == ["finish 101: cancelled unknown"])
        #expect(harness.machine.current?.open == 1)
        #expect(harness.answer(101) == ["late 101: 200"])
    }

    @Test func cancellingWhatWasAnsweredDoesNothing() {
        var harness = MachineHarness.up()
        let record = harness.record(1)
        _ = harness.offer([record])
        _ = harness.answer(1)
        #expect(harness.feed(.cancel(record)) == [])
    }

    @Test func cancellingAfterTheTimeoutDoesNothing() {
        var harness = MachineHarness.up()
        let record = harness.record(1)
        _ = harness.offer([record])
        _ = harness.advance(by: .seconds(10))
        #expect(harness.feed(.cancel(record)) == [])
    }
}
