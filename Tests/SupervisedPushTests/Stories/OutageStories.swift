import Locking
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// The server is down and everybody goes on pushing: what waits is bounded, what does not fit is told at once, and when the
/// server returns, everything goes out in call order. `scripts/outage.sh` does the same with a million pushes.
@Suite(.timeLimit(.minutes(5))) struct OutageStories {
    private static let room = 1_000

    private func outage() async throws -> Rehearsal {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.config.with { $0.maxWaiting = Self.room })
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(99_999))
        stage.apple.refuseConnections()
        stage.apple.cutConnections()
        #expect(await stage.apple.ledger.wait { $0.openConnections == 0 })
        return stage
    }

    @Test("parity: E11, E21 – an outage: what waits is bounded, what does not fit is refused at once")
    func completionCallersAreRefusedAtOnce() async throws {
        let stage = try await outage()
        let book = OutcomeBook()
        for number in 0..<20_000 {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number),
                options: PushOptions(timeoutStart: .write), completion: book.completion(number))
        }
        await book.wait(for: 20_000 - Self.room)
        #expect(book.summary == ["overloaded not_sent": 20_000 - Self.room])
        #expect(try stage.runtime.load(name: "orders").waiting == Self.room)

        stage.apple.acceptConnections()
        await stage.bringsBack(book, 20_000)
        #expect(book.summary == ["overloaded not_sent": 20_000 - Self.room, "accepted": Self.room])
        #expect(book.endedOnceEach)
        let order = stage.apple.ledger.records.dropFirst().map(\.deviceToken)
        #expect(order == (0..<Self.room).map { Samples.token($0).hex })
        await stage.end()
    }

    @Test func asyncCallersWaitForRoomAndGoOutInTheirTurn() async throws {
        let stage = try await outage()
        let book = OutcomeBook()
        let callers = 3 * Self.room
        async let calling: Void = withTaskGroup(of: Void.self) { group in
            for number in 0..<callers {
                group.addTask {
                    do throws(PushError) {
                        let answer = try await stage.runtime.push(
                            name: "orders", Samples.flight, to: Samples.token(number),
                            options: PushOptions(timeoutStart: .write))
                        book.completion(number)(.success(answer))
                    } catch { book.completion(number)(.failure(error)) }
                }
            }
        }
        while try stage.runtime.load(name: "orders").waiting < Self.room { await Task.yield() }
        #expect(book.count == 0)
        stage.apple.acceptConnections()
        await stage.bringsBack(book, callers)
        await calling
        #expect(book.summary == ["accepted": callers] && book.endedOnceEach)
        #expect(stage.apple.ledger.repeatedDeviceTokens == 0)
        await stage.end()
    }
}

extension Rehearsal {
    /// Lets the pauses between attempts pass until so many pushes have ended.
    fileprivate func bringsBack(_ book: OutcomeBook, _ count: Int) async {
        let ended = Task { await book.wait(for: count) }
        await time?.waitUntilArmed()
        time?.advance(by: .seconds(1))
        await ended.value
    }
}
