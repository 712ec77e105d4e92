import Dispatch
import PushHTTP2
import PushLocking
import PushSimulator
import PushTransport

/// What a provider saw.
enum Sighting: Sendable {
    case established
    case settings(PeerSettings)
    case response(Response)
    case streamClosed(tag: Int, HTTP2ErrorCode)
    case goAway(lastStreamID: StreamID, HTTP2ErrorCode, String)
    case pong(UInt64)
    /// The bytes broke HTTP/2.
    case broken(SessionError)
    case closed(TransportError?)
    case failed(TransportError)
}

/// A plain provider: one connection, everything it saw in a list, and waiting for what is in the list.
final class TestProvider: @unchecked Sendable, TransportDelegate {
    // Sendable, because transport and session are touched on `queue` only and the rest is behind locks.
    private struct Log {
        var sightings: [Sighting] = []
        var responses = 0
        var plaintext: [UInt8] = []
        var isStuck = false
        var waiters: [Waiter] = []
        var last = 0
    }

    private struct Waiter {
        let number: Int
        let condition: @Sendable (Log) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    let queue = DispatchQueue(label: "test-provider")
    private let log = Locked(Log())
    /// The simulator it talks to, which ends when nobody has it any more.
    private let server = Locked<SimulatedAPNs?>(nil)
    private var channel: (any ByteChannel)?
    private var transport: TLSTransport?
    private var session: ClientSession?
    private var attempt: (any Cancellable)?
    private var nextTag = 0
    private var speaksHTTP2 = true

    /// Connects and waits until the handshake is through; false where it failed. Without `speaksHTTP2` it says nothing more.
    func connect(
        _ connector: any Connector, to endpoint: Endpoint, trusting credentials: ThrowAwayCredentials,
        certificate: Bool = false, serverName: String = "localhost", speaksHTTP2: Bool = true
    ) async throws -> Bool {
        let identity =
            certificate
            ? try Identity(
                certificate: Array(credentials.providerCertificatePEM.utf8), key: Array(credentials.providerKeyPEM.utf8)
            ) : nil
        let context = try TLSContext.client(trust: .pem(Array(credentials.authorityPEM.utf8)), identity: identity)
        let engine = Handed(try TLSEngine(client: context, serverName: serverName))
        queue.async { [self] in
            self.speaksHTTP2 = speaksHTTP2
            attempt = connector.connect(to: endpoint, on: queue) { [self] result in
                switch result {
                case .success(let channel):
                    self.channel = channel
                    let transport = TLSTransport(channel: channel, engine: engine.value)
                    self.transport = transport
                    transport.start(on: queue, delegate: self)
                case .failure(let error): note(.failed(error))
                }
            }
        }
        guard await wait({ !$0.isEmpty }) else { return false }
        if case .established? = sightings.first { return true }
        return false
    }

    /// A value that changes its queue once.
    private struct Handed<Value>: @unchecked Sendable {
        // Sendable, because the one who hands it over does not touch it again.
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    /// Pushes `count` times; tags go on from the last one, from 0.
    func push(
        _ headers: [(String, String)], body: Int = 20, count: Int = 1,
        fill: @escaping @Sendable (Int) -> [(String, String)] = { _ in [] }
    ) {
        request(headers, [UInt8](repeating: 0x20, count: body), count: count, fill: fill)
    }

    /// As `push`, with a body that means something.
    func request(
        _ headers: [(String, String)], _ body: [UInt8] = [], count: Int = 1,
        fill: @escaping @Sendable (Int) -> [(String, String)] = { _ in [] }
    ) {
        queue.async { [self] in
            var fields = FieldList()
            for _ in 0..<count {
                fields.removeAll()
                for (name, value) in headers + fill(nextTag) { fields.append(name: name, value: value) }
                _ = try? session?.submit(fields, body: body, tag: nextTag)
                nextTag += 1
            }
            pump()
        }
    }

    func ping(_ payload: UInt64) {
        queue.async { [self] in
            session?.ping(payload)
            pump()
        }
    }

    func reset(_ stream: StreamID) {
        queue.async { [self] in
            session?.reset(stream, code: .cancel)
            pump()
        }
    }

    /// Sends these bytes as they are, over TLS.
    func write(_ bytes: [UInt8]) {
        queue.async { [self] in
            bytes.withUnsafeBytes { _ = transport?.write($0) }
            transport?.flush()
        }
    }

    func close() {
        queue.async { [self] in transport?.close() }
    }

    // MARK: What it saw

    var sightings: [Sighting] { log.withLock { $0.sightings } }

    var responses: [Response] {
        sightings.compactMap { if case .response(let response) = $0 { response } else { nil } }
    }

    var goAways: [(lastStreamID: StreamID, code: HTTP2ErrorCode, text: String)] {
        sightings.compactMap { if case .goAway(let last, let code, let text) = $0 { (last, code, text) } else { nil } }
    }

    var limits: [Int?] {
        sightings.compactMap { if case .settings(let settings) = $0 { settings.maxConcurrentStreams } else { nil } }
    }

    var isClosed: Bool {
        sightings.contains { if case .closed = $0 { true } else { false } }
    }

    func keep(_ apns: SimulatedAPNs) { server.withLock { $0 = apns } }

    /// Waits for at most two minutes; false where the time passed first.
    func wait(_ condition: @escaping @Sendable ([Sighting]) -> Bool) async -> Bool {
        await wait(log: { condition($0.sightings) })
    }

    func waitForResponses(_ count: Int) async -> Bool {
        await wait(log: { $0.responses >= count })
    }

    private func wait(log condition: @escaping @Sendable (Log) -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            let number = log.withLock { log -> Int? in
                guard !condition(log) else { return nil }
                log.last += 1
                log.waiters.append(Waiter(number: log.last, condition: condition, continuation: continuation))
                return log.last
            }
            guard let number else { return continuation.resume(returning: true) }
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(120)) { [self] in
                let waiter = log.withLock { log in
                    log.waiters.firstIndex { $0.number == number }.map { log.waiters.remove(at: $0) }
                }
                waiter?.continuation.resume(returning: false)
            }
        }
    }

    /// Everything that came, decrypted.
    var plaintext: [UInt8] { log.withLock { $0.plaintext } }

    /// The whole frames that came.
    var frames: [WireFrame] { WireFrame.frames(in: plaintext) }

    /// Waits until the frames that came satisfy a condition.
    func waitForFrames(_ condition: @escaping @Sendable ([WireFrame]) -> Bool) async -> Bool {
        await wait(log: { condition(WireFrame.frames(in: $0.plaintext)) })
    }

    /// Why the session broke, where it did.
    var violation: SessionError? {
        sightings.lazy.compactMap { if case .broken(let error) = $0 { error } else { nil } }.first
    }

    /// Waits until the kernel takes no more of what was written.
    func waitUntilStuck() async -> Bool {
        await wait(log: { $0.isStuck })
    }

    func waitUntilClosed() async -> Bool {
        await wait { $0.contains { if case .closed = $0 { true } else { false } } }
    }

    private func note(_ sighting: Sighting) {
        change { log in
            log.sightings.append(sighting)
            if case .response = sighting { log.responses += 1 }
        }
    }

    private func change(_ body: (inout Log) -> Void) {
        let ready = log.withLock { log in
            body(&log)
            guard !log.waiters.isEmpty else { return [] as [Waiter] }
            let ready = log.waiters.filter { $0.condition(log) }
            guard !ready.isEmpty else { return [] }
            let numbers = Set(ready.map(\.number))
            log.waiters.removeAll { numbers.contains($0.number) }
            return ready
        }
        for waiter in ready { waiter.continuation.resume(returning: true) }
    }

    // MARK: On the queue

    private func pump() {
        // With a last word to a server that broke the rules the server would stop, and not all that it says be seen.
        guard let session, let transport, violation == nil else { return }
        var buffer: [UInt8] = []
        var isDone = false
        while !isDone {
            while session.hasOutput, transport.room > 0 {
                buffer.removeAll(keepingCapacity: true)
                try? session.produce(into: &buffer, upTo: 16 << 10)
                if buffer.isEmpty { break }
                buffer.withUnsafeBytes { transport.write($0) }
            }
            transport.flush()
            // Room that grows in a flush is not announced.
            isDone = buffer.isEmpty || !session.hasOutput || transport.room == 0 || transport.unwritten > 0
        }
        if transport.unwritten > 0 { change { $0.isStuck = true } }
    }

    func transportEstablished(_ transport: TLSTransport) {
        var configuration = ClientSession.Configuration()
        configuration.maxBodyBytes = 1 << 20
        session = speaksHTTP2 ? try? ClientSession(configuration) : nil
        // The first bytes of HTTP/2 are sent before the test goes on.
        pump()
        note(.established)
    }

    func transport(_ transport: TLSTransport, received plaintext: UnsafeRawBufferPointer) {
        change { $0.plaintext.append(contentsOf: plaintext) }
        var events: [ClientEvent] = []
        var violation: SessionError?
        do {
            try session?.receive(plaintext, into: &events)
        } catch {
            violation = error
        }
        defer { if let violation { note(.broken(violation)) } }
        for event in events {
            switch event {
            case .settings(let settings): note(.settings(settings))
            case .response(let response): note(.response(response))
            case .closed(_, let tag, let code, _, _): note(.streamClosed(tag: tag, code))
            case .goAway(let last, let code, let data):
                note(.goAway(lastStreamID: last, code, String(decoding: data, as: UTF8.self)))
            case .pong(let payload): note(.pong(payload))
            }
        }
    }

    func transportDrained(_ transport: TLSTransport) { pump() }
    func transportHasRoom(_ transport: TLSTransport) { pump() }
    func transport(_ transport: TLSTransport, closed error: TransportError?) { note(.closed(error)) }
}
