import HandWrittenFrames
import ProcessRuntime
import PushLocking
import PushSimulator
import PushTransport
import SupervisedPush
import Testing

/// A runtime on a manual clock and a network in memory, against a server of frames written by hand.
package final class HandWrittenStage: Sendable {
    package let peer: HandWrittenPeer
    package let runtime: PushRuntime
    package let time = ManualTime()
    package let network: MemoryNetwork
    /// The process's queue, to be held.
    package let processQueue: HeldQueue
    private let received = Locked<[LifecycleMessage]>([])
    private let mailbox = Mailbox<LifecycleMessage>()
    private let clock = Locked<Task<Void, Never>?>(nil)
    private static let endpoint = Endpoint(host: "localhost", port: 443)
    private static let credentials = Result { try ThrowAwayCredentials() }

    /// - Parameters:
    ///   - giveWay: What callers do when a process lets them run.
    ///   - script: by the number of the connection, from 1.
    package init(
        giveWay: @escaping @Sendable () -> Void = {}, _ script: @escaping @Sendable (Int) -> HandWrittenPeer.Script
    ) throws {
        network = MemoryNetwork()
        processQueue = HeldQueue(network)
        peer = try HandWrittenPeer(
            on: network, at: Self.endpoint, credentials: Self.credentials.get(), script)
        runtime = PushRuntime(time: time, connector: processQueue, seed: { _ in 1 }, giveWay: giveWay)
    }

    /// Connects as "orders". From now on each pause before a reconnect passes by itself; other time does not.
    @discardableResult
    package func connect(_ change: (inout PushConnection.Configuration) -> Void = { _ in }) throws -> PushConnection {
        let connection = try runtime.connect(name: "orders", config: config().with(change), owner: mailbox)
        letPausesPass()
        return connection
    }

    /// Manages channels; otherwise as `connect`.
    package func channels(
        limit: Int = 10_000, _ change: (inout PushConnection.Configuration) -> Void = { _ in }
    ) throws -> BroadcastChannels {
        let channels = try runtime.channels(config: config().with(change), limit: limit, owner: mailbox)
        letPausesPass()
        return channels
    }

    private func config() throws -> PushConnection.Configuration {
        let credentials = try Self.credentials.get()
        return PushConnection.Configuration(
            host: Self.endpoint.host, port: Self.endpoint.port,
            credential: .token(
                key: .pem(credentials.signingKeyPEM), keyID: credentials.keyID, teamID: credentials.teamID),
            trust: .pem(credentials.authorityPEM), defaults: .init(topic: Topic(credentials.topic)),
            timeout: .seconds(600)
        ).with { $0.limits.firstFlight = .max }
    }

    private func letPausesPass() {
        let task = Task { [time, mailbox, received] in
            for await message in mailbox {
                received.withLock { $0.append(message) }
                guard case .reconnecting(_, _, _, let delay, _) = message else { continue }
                await time.waitUntilArmed(by: time.now.advanced(by: delay))
                time.advance(by: delay)
            }
        }
        clock.withLock { $0 = task }
    }

    /// Pushes as often as said, numbers from `first`, with their outcomes in `book`.
    package func push(_ count: Int, from first: Int = 0, into book: OutcomeBook) {
        for number in first..<first + count {
            runtime.push(name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
    }

    private struct NoSuchConversation: Error {}

    /// The first conversation, once the condition holds for it.
    package func conversation(
        where condition: (HandWrittenConversation) -> Bool
    ) async throws -> HandWrittenConversation {
        var found: HandWrittenConversation?
        await until {
            found = peer.conversations.first
            return found.map(condition) ?? false
        }
        guard let found, condition(found) else { throw NoSuchConversation() }
        return found
    }

    /// The messages of the connection so far, in order.
    package var messages: [LifecycleMessage] { received.withLock { $0 } }

    package func end() async {
        await runtime.shutdown(within: .zero)
        mailbox.close()
        let task = clock.withLock { $0 }
        // It may wait for a pause that the shutdown was quicker than.
        task?.cancel()
        await task?.value
        peer.end()
    }
}
