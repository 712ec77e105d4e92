import TestSupport
import Testing

@testable import SupervisedPush

@Suite("parity: F11 – the guard of the limit of 10,000 channels", .timeLimit(.minutes(5))) struct ChannelCountTests {
    private func known(_ channels: Int, limit: Int = 3) -> ChannelCount {
        let count = ChannelCount(limit: limit)
        count.listed(channels, since: count.beginList())
        return count
    }

    @Test func nobodyCreatesBeforeItIsKnownHowManyThereAre() throws {
        let count = ChannelCount(limit: 3)
        #expect(try !count.reserve())
        count.listed(0, since: count.beginList())
        #expect(try count.reserve())
    }

    @Test func creationsUnderWayCountAndThoseThatFailedDoNot() throws {
        let count = known(1)
        #expect(try count.reserve() && count.reserve())
        let error = #expect(throws: ChannelError.self) { _ = try count.reserve() }
        #expect(error?.code == .limitReached && error?.certainty == .notSent)
        #expect(error?.description.contains("may have 3: delete channels") == true)
        count.creationEnded(.notCreated)
        #expect(try count.reserve())
        count.creationEnded(.created)
        count.creationEnded(.created)
        #expect(throws: ChannelError.self) { _ = try count.reserve() }
        count.noteDeletion(since: count.lists)
        #expect(try count.reserve())
    }

    @Test func aCreationOfUnknownFateHasTheNextOneListAnew() throws {
        let count = known(0)
        #expect(try count.reserve())
        count.creationEnded(.unknown)
        #expect(try !count.reserve())
    }

    @Test func aListThatMissedACreationCountsItAllTheSame() throws {
        let count = known(0)
        #expect(try count.reserve())
        let began = count.beginList()
        count.creationEnded(.created)
        count.listed(2, since: began)
        #expect(throws: ChannelError.self) { _ = try count.reserve() }
        count.listed(2, since: count.beginList())
        #expect(try count.reserve())
    }

    @Test func aDeletionThatAListHasCountedAlreadyIsNotCountedTwice() throws {
        let count = known(3)
        let lists = count.lists
        count.listed(2, since: count.beginList())
        count.noteDeletion(since: lists)
        #expect(try count.reserve())
        #expect(throws: ChannelError.self) { _ = try count.reserve() }
    }

    @Test func moreDeletionsThanWereListedMakeNoMoreRoomThanThereIs() throws {
        let count = known(0, limit: 1)
        count.noteDeletion(since: count.lists)
        #expect(try count.reserve())
        #expect(throws: ChannelError.self) { _ = try count.reserve() }
    }

    @Test func whoCreatesAtTheSameTimeSharesOneList() async throws {
        let count = ChannelCount(limit: 3)
        let gate = AsyncStream<Void>.makeStream()
        let first = Task {
            try await count.learn {
                for await _ in gate.stream { break }
                count.listed(1, since: count.beginList())
                return .success(())
            }
        }
        await until { count.waitingCount >= 1 }
        let second = Task {
            try await count.learn {
                Issue.record("listed twice")
                return .success(())
            }
        }
        await until { count.waitingCount >= 2 }
        gate.continuation.yield()
        #expect(try await first.value)
        #expect(try await second.value)
        #expect(try count.reserve())
    }

    @Test func whoComesWhenTheListHasJustComeAsksForNoOther() async throws {
        let count = ChannelCount(limit: 3)
        #expect(try !count.reserve())
        count.listed(1, since: count.beginList())
        let isLearned = try await count.learn {
            Issue.record("listed twice")
            return .success(())
        }
        #expect(try isLearned && count.reserve())
    }
}
