import Dispatch
import Glibc
import PushLocking
import Testing

@testable import PushTransport

/// The tunnel's interpreter, over a network in memory and over sockets, against a proxy that does what it is told.
@Suite struct ProxyConnectorTests {
    typealias Outcome = Result<any ByteChannel, TransportError>

    private let queue = DispatchQueue(label: "proxy", target: .global(qos: .userInteractive))
    private let target = Endpoint(host: "push.example", port: 443)

    /// One connect through a fake proxy: how it ends, and how often.
    private final class Attempt: Sendable {
        let outcomes = Awaited<Outcome>()
        let stages = Locked<[ProxyConnector.Stage]>([])
        private let running = Locked<(any Cancellable)?>(nil)

        func start(_ connector: any Connector, at place: Endpoint, to target: Endpoint, on queue: DispatchQueue) {
            let proxy = ProxyServer(.http, at: place, login: .init(user: "me", password: "secret"))
            let connector = ProxyConnector(proxy, through: connector) { [stages] stage in
                stages.withLock { $0.append(stage) }
            }
            let attempt = connector.connect(to: target, on: queue) { [outcomes] in outcomes.set($0) }
            running.withLock { $0 = attempt }
        }

        func cancel() { running.withLock { $0 }?.cancel() }
    }

    private func attempt(_ fake: FakeProxy, capacity: Int = 64 << 10) -> Attempt {
        let network = MemoryNetwork(capacity: capacity)
        network.listen(on: FakeProxy.endpoint) { fake.take($0) }
        let attempt = Attempt()
        attempt.start(network, at: FakeProxy.endpoint, to: target, on: queue)
        return attempt
    }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func oneByOne(_ text: String) -> [[UInt8]] { text.utf8.map { [$0] } }

    @Test(
        "parity: E16, E18 – each way a proxy can fail is one error, at once, and closes the connection",
        arguments: [
            ("HTTP/1.1 407 No\r\n\r\n", FakeProxy.Ending.stay, "proxyAuthentication"),
            ("HTTP/1.1 403 No\r\n\r\n", .stay, "proxyForbidden"),
            ("HTTP/1.1 502 No\r\n\r\n", .stay, "proxyBadGateway"),
            ("HTTP/1.1 302 No\r\n\r\n", .stay, "proxyRefused"),
            ("SSH-2.0-OpenSSH_9.2\r\n", .stay, "proxyMalformed"),
            ("HTTP/1.1 200 OK\r\nHalf", .close, "proxyClosed"),
            ("", .close, "proxyClosed"),
            ("HTTP/1.1 200 OK\r\nHalf", .reset, "ECONNRESET"),
            ("HTTP/1.1 200 " + String(repeating: "x", count: 16_400), .stay, "proxyTooLong"),
        ])
    func faultsAreToldOnce(answer: String, ending: FakeProxy.Ending, code: String) throws {
        for answers in [[Self.bytes(answer)], answer.utf8.count < 100 ? Self.oneByOne(answer) : []]
        where !answers.isEmpty || answer.isEmpty {
            let fake = FakeProxy(on: queue, answers: answers, ending: ending)
            let attempt = attempt(fake)
            guard case .failure(let error)? = attempt.outcomes.value() else { Issue.record("no error"); return }
            #expect(error.layer == .proxy && error.code.name == code, "\(error)")
            #expect(!error.sentence.contains("secret"))
            if ending == .stay { #expect(fake.clientEnd == .failed(ECONNRESET)) }
            queue.sync {}
            #expect(attempt.outcomes.count == 0 && attempt.stages.withLock { $0 } == [.tunnelling])
        }
    }

    @Test("parity: E16 – a proxy that hangs is called off, without a completion and without a connection left")
    func aHangingProxyIsCalledOff() {
        for answers in [[], [Self.bytes("HTTP/1.1 200 OK\r\nHa")]] {
            let fake = FakeProxy(on: queue, answers: answers)
            let attempt = attempt(fake)
            while fake.request.withLock({ $0.isEmpty }) { queue.sync {} }
            queue.sync { attempt.cancel() }
            queue.sync {}
            #expect(fake.clientEnd == .failed(ECONNRESET))
            attempt.cancel()
            #expect(attempt.outcomes.count == 0)
        }
    }

    @Test func aProxyThatNobodyRunsIsTheProxysError() {
        let attempt = Attempt()
        attempt.start(MemoryNetwork(), at: FakeProxy.endpoint, to: target, on: queue)
        guard case .failure(let error)? = attempt.outcomes.value() else { Issue.record("no error"); return }
        #expect(error.layer == .proxy && error.code == .system(ECONNREFUSED))
        #expect(error.sentence.hasPrefix("The proxy http://…@proxy.example:3128 was not reached. No connection to"))
        #expect(attempt.stages.withLock { $0 } == [])
    }

    @Test func aConnectToTheProxyThatIsCalledOffCompletesNever() {
        let network = MemoryNetwork()
        let accepted = Locked(0)
        network.listen(on: FakeProxy.endpoint) { _ in accepted.withLock { $0 += 1 } }
        let attempt = Attempt()
        queue.sync {
            attempt.start(network, at: FakeProxy.endpoint, to: target, on: queue)
            attempt.cancel()
        }
        queue.sync {}
        #expect(attempt.outcomes.count == 0 && accepted.withLock { $0 } == 0)
    }

    @Test("parity: E18 – what comes right behind the proxy's answer is read first")
    func whatIsBehindTheAnswerIsNotLost() throws {
        let head = "HTTP/1.1 200 OK\r\n\r\n"
        for answers in [[Self.bytes(head + "abcdef")], Self.oneByOne(head + "abcdef")] {
            let fake = FakeProxy(on: queue, answers: answers)
            let answered = Awaited<Int>()
            fake.afterwards = { _ in answered.set(1) }
            let attempt = attempt(fake)
            let channel = try #require(attempt.outcomes.value()).get()
            #expect(answered.value() == 1)
            #expect(attempt.stages.withLock { $0 } == [.tunnelling, .tunnelled])
            let read = Locked<[UInt8]>([])
            let ended = Awaited<Int>()
            queue.sync {
                channel.activate(on: queue) { event in
                    guard event == .readable else { return }
                    // Two bytes an event: it has to come again for the rest.
                    let result = withUnsafeTemporaryAllocation(byteCount: 2, alignment: 1) { buffer -> ReadResult in
                        let result = channel.read(into: buffer)
                        if case .bytes(let count) = result { read.withLock { $0 += buffer.prefix(count) } }
                        return result
                    }
                    if result == .endOfStream {
                        channel.close()
                        ended.set(1)
                    }
                }
            }
            queue.sync {
                _ = Self.bytes("ghi").withUnsafeBytes { fake.channel.withLock { $0 }?.write($0) }
                fake.channel.withLock { $0 }?.close()
            }
            #expect(ended.value() == 1)
            #expect(read.withLock { String(decoding: $0, as: UTF8.self) } == "abcdefghi")
        }
    }

    @Test func aResetBetweenTunnelAndActivationIsStillTold() throws {
        let fake = FakeProxy(on: queue, answers: [Self.bytes("HTTP/1.1 200 OK\r\n\r\n")])
        let channel = try #require(attempt(fake).outcomes.value()).get()
        queue.sync { fake.channel.withLock { $0 }?.abort() }
        // Events come and go, and nobody listens.
        for _ in 0..<10 { queue.sync {} }
        let result = Awaited<ReadResult>()
        queue.sync {
            channel.activate(on: queue) { _ in
                withUnsafeTemporaryAllocation(byteCount: 2, alignment: 1) { result.set(channel.read(into: $0)) }
                channel.close()
            }
        }
        #expect(result.value() == .failed(ECONNRESET))
    }

    @Test("parity: E18, G11 – TLS goes through the tunnel from end to end, in pieces of any size")
    func tlsGoesThroughTheTunnel() throws {
        let contexts = try SocketPair.engineContexts()
        for capacity in [5, 64 << 10] {
            let fake = FakeProxy(on: queue, answers: Self.oneByOne("HTTP/1.1 200 OK\r\n\r\n"))
            let server = Awaited<any ByteChannel>()
            fake.afterwards = { server.set($0) }
            let attempt = attempt(fake, capacity: capacity)
            let near = try #require(attempt.outcomes.value()).get()
            let far = try #require(server.value())
            let apple = Peer(far, try TLSEngine(server: contexts.server), on: queue).start()
            let engine = try TLSEngine(client: contexts.client, serverName: target.host)
            let client = Peer(near, engine, on: queue).start()
            client.waitFor(.established)
            client.send(Self.bytes("hello"))
            apple.wait("hello") { $0.received == Self.bytes("hello") }
            client.queue.sync { client.transport.close() }
        }
    }

    @Test("parity: E18 – a SOCKS5 proxy is told one thing after the other, in pieces of any size")
    func socksIsSpokenTurnByTurn() throws {
        for capacity in [1, 64 << 10] {
            let network = MemoryNetwork(capacity: capacity)
            let heard = Locked<[UInt8]>([])
            let far = Locked<MemoryChannel?>(nil)
            // After this many bytes of the client's, this many of the proxy's.
            let turns: [Int: [UInt8]] = [4: [5, 2], 15: [1, 0], 34: [5, 0, 0, 1, 0, 0, 0, 0, 0, 0, 104, 105]]
            network.listen(on: FakeProxy.endpoint) { [queue] channel in
                far.withLock { $0 = channel }
                channel.activate(on: queue) { [weak channel] _ in
                    let byte = withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { buffer -> UInt8? in
                        channel?.read(into: buffer) == .bytes(1) ? buffer[0] : nil
                    }
                    guard let channel, let byte else { return channel?.close() ?? () }
                    let count = heard.withLock { heard in
                        heard.append(byte)
                        return heard.count
                    }
                    channel.setCapacity(64)
                    if let answer = turns[count] { _ = answer.withUnsafeBytes { channel.write($0) } }
                }
            }
            let proxy = ProxyServer(.socks5, at: FakeProxy.endpoint, login: .init(user: "me", password: "secret"))
            let outcomes = Awaited<Outcome>()
            let attempt = ProxyConnector(proxy, through: network).connect(to: target, on: queue) { outcomes.set($0) }
            let channel = try #require(outcomes.value()).get()
            #expect(
                heard.withLock { $0 } == [5, 2, 0, 2] + [1, 2] + Self.bytes("me") + [6] + Self.bytes("secret")
                    + [5, 1, 0, 3, 12] + Self.bytes("push.example") + [1, 187])
            let rest = queue.sync {
                withUnsafeTemporaryAllocation(byteCount: 9, alignment: 1) { buffer -> [UInt8] in
                    guard case .bytes(let count) = channel.read(into: buffer) else { return [] }
                    return Array(buffer.prefix(count))
                }
            }
            #expect(rest == Self.bytes("hi"))
            queue.sync { channel.close() }
            attempt.cancel()
        }
    }

    @Test func aHundredRefusalsOverSocketsLeaveNoDescriptorBehind() async throws {
        let listener = try SocketListener(on: Endpoint(host: "127.0.0.1", port: 0))
        let fakes = Awaited<FakeProxy>()
        listener.accept(on: queue) { [queue] channel in
            let fake = FakeProxy(on: queue, answers: [Self.bytes("HTTP/1.1 407 No\r\n\r\n")])
            fake.take(channel)
            fakes.set(fake)
        }
        let before = OpenSockets.names()
        for round in 0..<100 {
            let attempt = Attempt()
            attempt.start(SocketConnector(), at: listener.endpoint, to: target, on: queue)
            let fake = try #require(fakes.value())
            if round % 2 == 0 {
                attempt.cancel()
            } else {
                guard case .failure? = attempt.outcomes.value() else { Issue.record("no error"); return }
            }
            queue.sync { fake.channel.withLock { $0 }?.close() }
        }
        for _ in 0..<3 { queue.sync {} }
        await OpenSockets.waitUntilClosed(openedSince: before)
    }
}
