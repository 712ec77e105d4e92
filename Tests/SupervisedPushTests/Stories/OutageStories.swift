import Dispatch
import Glibc
import ProcessRuntime
import PushLocking
import PushSimulator
import PushTransport
import SupervisedPush
import TestSupport
import Testing

/// The server is down and everybody goes on pushing: what waits is bounded, what does not fit is told at once, and when the
/// server returns, everything goes out in call order. `scripts/outage.sh` does the same with a million pushes.
@Suite(.timeLimit(.minutes(5))) struct OutageStories {
    private static let room = 1_000

    private func outage() async throws -> Rehearsal {
        let stage = try Rehearsal.inMemory()
        let owner = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(
            name: "orders", config: stage.config.with { $0.limits.maxWaiting = Self.room }, owner: owner)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(99_999))
        stage.apple.refuseConnections()
        await stage.apple.cutConnections()
        // The server knows of it before: what is pushed until then is written, and does not count as waiting.
        #expect(await owner.receive(where: \.isReconnecting) != nil)
        return stage
    }

    @Test func withoutAFreeDescriptorAConnectionTriesAgain() async throws {
        let stage = try Rehearsal.inMemory()
        let time = try #require(stage.time)
        let runtime = PushRuntime(
            time: time, connector: ScarceDescriptors(try #require(stage.network), missing: 3), seed: { _ in 1 })
        let owner = Mailbox<LifecycleMessage>()
        let pid = try #require(try runtime.connect(name: "orders", config: stage.config, owner: owner).pid)
        let book = OutcomeBook()
        runtime.push(name: "orders", Samples.flight, to: Samples.token(), completion: book.completion(0))
        for attempt in 1...3 {
            guard case .reconnecting(pid, _, attempt, let delay, let cause)? = await owner.receive() else {
                Issue.record("not reconnecting"); return
            }
            #expect(cause.layer == .connect && "\(cause)".contains("ulimit -n"))
            await time.waitUntilArmed(by: time.now.advanced(by: delay))
            time.advance(by: delay)
        }
        await book.wait(for: 1)
        #expect(book.summary == ["accepted": 1] && runtime.pid(of: "orders") == pid)
        await runtime.shutdown(within: .zero)
        await stage.end()
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
        #expect(try stage.runtime.connection(named: "orders").load.waiting == Self.room)

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
        try await until { try stage.runtime.connection(named: "orders").load.waiting >= Self.room }
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
    /// Lets the pauses between attempts pass until this many pushes have ended.
    fileprivate func bringsBack(_ book: OutcomeBook, _ count: Int) async {
        let ended = Task { await book.wait(for: count) }
        // The pause, and not how long the attempt before it may take.
        await time?.waitUntilArmed(by: runtime.now.advanced(by: .seconds(1)))
        time?.advance(by: .seconds(1))
        await ended.value
    }
}

/// A network where some first attempts find no free file descriptor.
private final class ScarceDescriptors: Connector {
    private final class Nothing: Cancellable {
        func cancel() {}
    }

    private let network: TappedNetwork
    private let missing: Locked<Int>

    init(_ network: TappedNetwork, missing: Int) {
        self.network = network
        self.missing = Locked(missing)
    }

    func connect(
        to endpoint: Endpoint, on queue: DispatchQueue,
        completion: @escaping @Sendable (Result<any ByteChannel, TransportError>) -> Void
    ) -> any Cancellable {
        let isMissing = missing.withLock { missing in
            defer { missing -= 1 }
            return missing > 0
        }
        guard isMissing else { return network.connect(to: endpoint, on: queue, completion: completion) }
        let error = TransportError(
            layer: .connect, code: .system(EMFILE), sentence: "No connection: EMFILE. Raise the limit (ulimit -n).")
        queue.async { completion(.failure(error)) }
        return Nothing()
    }
}
