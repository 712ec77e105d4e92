import Dispatch
import PushLocking
import SupervisedPush
import TestSupport
import Testing

@testable import PushCampaign

/// How rows get from the threads of a campaign to the task that takes them.
@Suite(.timeLimit(.minutes(5))) struct RowChannelTests {
    private func rows(_ lines: ClosedRange<Int>) -> [OutcomeRow] {
        lines.map { OutcomeRow(line: $0, PushOutcome(.delivered)) }
    }

    private func lines(_ channel: RowChannel) async throws -> [Int] {
        var lines: [Int] = []
        while let row = try await channel.next(isolation: nil) { lines.append(row.line) }
        return lines
    }

    @Test func rowsComeInTheOrderInWhichTheyWereSentAndThenTheEnd() async throws {
        let channel = RowChannel()
        channel.send(rows(1...3))
        channel.send(rows(4...5))
        channel.finish(nil)
        #expect(try await lines(channel) == [1, 2, 3, 4, 5])
        #expect(try await lines(channel) == [])
    }

    @Test func anErrorComesBehindTheLastRowAndOnce() async throws {
        let channel = RowChannel()
        channel.send(rows(1...1))
        channel.finish(CampaignError(.outage, "down"))
        #expect(try await channel.next(isolation: nil)?.line == 1)
        let error = await #expect(throws: CampaignError.self) { _ = try await channel.next(isolation: nil) }
        #expect(error?.code == .outage)
        #expect(try await lines(channel) == [])
    }

    @Test func aTakerWaitsForARow() async throws {
        let channel = RowChannel()
        let taken = Task { try await lines(channel) }
        channel.send(rows(1...1))
        channel.finish(nil)
        #expect(try await taken.value == [1])
    }

    @Test func aSenderWaitsWhileThereAreTooManyRows() async throws {
        let channel = RowChannel(most: 4)
        let sent = Locked(0)
        let thread = DispatchQueue(label: "sender")
        thread.async {
            for batch in 0..<100 {
                channel.send(rows(batch * 3 + 1...batch * 3 + 3))
                sent.withLock { $0 += 1 }
            }
            channel.finish(nil)
        }
        // It stands at its second batch, the first one with more than four rows.
        await until { channel.waitingSenders == 1 }
        #expect(sent.withLock { $0 } == 1)
        #expect(try await lines(channel) == Array(1...300))
        #expect(sent.withLock { $0 } == 100)
    }

    @Test func whenNobodyTakesRowsAnyMoreSendersGoOnAndTheCampaignIsTold() async throws {
        let channel = RowChannel(most: 1)
        let (told, sent) = (Locked(0), DispatchSemaphore(value: 0))
        channel.onAbandon { told.withLock { $0 += 1 } }
        DispatchQueue(label: "sender").async {
            for _ in 0..<10 { channel.send(rows(1...5)) }
            sent.signal()
        }
        await until { channel.waitingSenders == 1 }
        channel.abandon()
        channel.abandon()
        await until { sent.wait(timeout: .now()) == .success }
        #expect(told.withLock { $0 } == 1)
        channel.onAbandon { told.withLock { $0 += 1 } }
        #expect(told.withLock { $0 } == 2)
    }

    @Test func aCancelledTaskTakesNoMore() async throws {
        let channel = RowChannel()
        let taken = Task { try await lines(channel) }
        taken.cancel()
        let error = await #expect(throws: CampaignError.self) { try await taken.value }
        #expect(error?.code == .cancelled)
    }
}
