import ProcessRuntime
import PushHTTP2
import PushTransport

/// One link to APNs: a byte channel, TLS over it, an HTTP/2 session over that. It belongs to one connection process and
/// runs on its queue.
///
/// It reports events to its owner and decides nothing. After `close` or `abandon` it reports nothing more.
final class Link {
    /// Receives a link's events. All calls come on the process's queue.
    protocol Owner: AnyObject {
        /// The proxy, if any, has reached this step.
        func link(_ link: Link, reached step: DialStep)
        /// The socket was read until empty; these are the session's events of that burst, if any. `hasBytes`: some
        /// arrived. The owner may take the events out of the list.
        func link(_ link: Link, received events: inout [ClientEvent], hasBytes: Bool)
        /// TLS is established, with a resumed session if `isResumed`. `unpinned` are the keys of a server that has none
        /// of the pinned ones and was accepted because of `reportOnly`.
        func linkSecured(_ link: Link, isResumed: Bool, unpinned: [KeyPin]?)
        /// The link can write again.
        func linkHasRoom(_ link: Link)
        /// The link is gone. `lostStreams()` still works.
        func link(_ link: Link, failed cause: LinkFailure)
    }

    let id: LinkID
    private weak var owner: (any Owner)?
    private var dial: (any Cancellable)?
    private var transport: TLSTransport?
    private var session: ClientSession?
    private var events: [ClientEvent] = []
    /// The provider token it uses; nil with a certificate. Only one call at a time uses it, on the process's queue:
    /// checking that for each push would cost 100 instructions.
    @exclusivity(unchecked) var token: LinkToken?
    /// It was closed or abandoned, or has failed.
    private(set) var isOver = false
    /// True if bytes have arrived that the owner does not know of.
    private var hasReceived = false
    /// The peer answered in HTTP/1, which is why everything after it fails.
    private(set) var speaksHTTP1 = false
    /// The credential it uses; nil before that is loaded.
    private(set) var credential: ResolvedCredential?
    private let endpoint: Endpoint
    private let proxy: ProxyServer?

    init(_ id: LinkID, to endpoint: Endpoint, through proxy: ProxyServer?, owner: any Owner) {
        self.id = id
        self.endpoint = endpoint
        self.proxy = proxy
        self.owner = owner
    }

    // MARK: Coming up

    /// Its credential is being loaded; `open` or `loadingFailed` follows, unless the link is abandoned first.
    func loads() { owner?.link(self, reached: .loading) }

    /// Its credential could not be loaded.
    func loadingFailed(_ error: ConnectError) {
        // This is an outage of the secret store, not a refusal by APNs.
        fail(LinkFailure(.credential, error.description))
    }

    /// - Parameters:
    ///   - credential: The credential that it uses until its end.
    ///   - makeSession: Makes the HTTP/2 session. If it throws, or TLS cannot be set up, the process fails, because
    ///     that is not a fault of the network.
    func open(
        over connector: any Connector, showing credential: ResolvedCredential,
        in process: ProcessContext<ConnectionMessage>, makeSession: @escaping () throws -> ClientSession
    ) {
        guard !isOver else { return }
        self.credential = credential
        token = credential.authority.map(LinkToken.init)
        owner?.link(self, reached: .connecting)
        let connected = process.callback { [weak self] (result: Result<any ByteChannel, TransportError>) in
            guard let self, !isOver else { return }
            dial = nil
            switch result {
            case .success(let channel): try start(channel, showing: credential, in: process, makeSession: makeSession)
            case .failure(let error): fail(LinkFailure(error))
            }
        }
        dial = route(over: connector, in: process).connect(to: endpoint, on: process.queue, completion: connected)
    }

    /// Direct, or through the proxy.
    private func route(
        over connector: any Connector, in process: ProcessContext<ConnectionMessage>
    ) -> any Connector {
        guard let proxy else { return connector }
        let reached = process.callback { [weak self] (stage: ProxyConnector.Stage) in
            guard let self, !isOver else { return }
            owner?.link(self, reached: stage == .tunnelling ? .tunnelling : .tunnelled)
        }
        return ProxyConnector(proxy, through: connector, onStage: reached)
    }

    private func start(
        _ channel: any ByteChannel, showing credential: ResolvedCredential,
        in process: ProcessContext<ConnectionMessage>,
        makeSession: () throws -> ClientSession
    ) throws {
        do {
            let engine = try TLSEngine(client: credential.context, serverName: endpoint.host)
            let transport = TLSTransport(channel: channel, engine: engine)
            session = try makeSession()
            self.transport = transport
            transport.start(on: process.queue, delegate: self)
        } catch {
            channel.abort()
            throw error
        }
    }

    // MARK: Requests

    /// Writes the fields of a request, with the link's provider token.
    ///
    /// - Returns: The token in it; nil if it has none of ours.
    func encode(
        _ head: RequestHead, with encoder: inout RequestEncoder, _ now: MonotonicInstant
    ) throws(UnsendablePush) -> IssuedToken? {
        try encoder.encode(head, now, linkToken: &token)
    }

    /// Queues a request; nil if the link is not up.
    func submit(_ fields: FieldList, body: [UInt8], slot: Int32) throws(SessionError) -> StreamID? {
        try session?.submit(fields, body: body, tag: Int(slot))
    }

    /// Skips the next stream's number.
    func skipStream() { session?.skipStream() }

    func reset(_ stream: StreamID) { session?.reset(stream, code: .cancel) }

    /// Queues a PING.
    func ping(_ id: UInt64) { session?.ping(id) }

    /// Reads what has arrived and reports it at once, instead of waiting for the queue.
    func readArrived() {
        guard !isOver else { return }
        transport?.readArrived()
    }

    /// What the peer's flow control takes now; nil before the link is up.
    var sendWindow: SendWindow? { session?.sendWindow }

    /// The stream of the latest request that the session accepted; 0 before the first.
    var lastSubmitted: StreamID { session?.lastSubmitted ?? 0 }

    /// How far a request has been written while the link lives: encrypted bytes count as written.
    func progress(of stream: StreamID) -> WriteFate {
        guard let progress = session?.progress(of: stream) else {
            // A stream that has ended was written; how it ended will be reported to the owner.
            return stream <= lastSubmitted ? .written : .notSent
        }
        guard progress.firstByte != nil else { return .notSent }
        return progress.end == nil ? .unprocessed : .written
    }

    /// The part of a push's answer that has arrived, if it includes a valid status.
    func partialAnswer(of stream: StreamID) -> Response? { session?.partialResponse(of: stream) }

    /// Encrypts and writes the session's output, as far as there is room. A session that has finished ends the link.
    func flush(_ scratch: inout [UInt8]) {
        writeOutput(&scratch)
        guard let session, !isOver, session.isFinished else { return }
        fail(LinkFailure(.http2, session.failure?.sentence ?? "The HTTP/2 session ended."))
    }

    private func writeOutput(_ scratch: inout [UInt8]) {
        guard let transport, let session, !isOver else { return }
        do {
            var isProducing: Bool
            repeat {
                isProducing = try produce(session, to: transport, scratch: &scratch)
                // Some streams end only when a frame about them leaves; the output that follows is written, too.
                session.takeEvents(into: &events)
                deliver()
                if !isOver { transport.flush() }
                // Room that grows during a flush is not announced: it must be used here, or the rest would wait for an
                // answer.
            } while !isOver && (session.hasEvents || isProducing && transport.room > 0 && session.hasOutput)
        } catch {
            session.takeEvents(into: &events)
            deliver()
            fail(LinkFailure(.http2, error.sentence))
        }
    }

    /// Writes the session's output as far as there is room; the next `flush` reports the result.
    func writeNow(_ scratch: inout [UInt8]) {
        guard let transport, let session, !isOver else { return }
        // An error ends the session, and `flush` handles that.
        _ = try? produce(session, to: transport, scratch: &scratch)
        transport.flush()
    }

    /// Output beyond this is written before more is produced: what waits for the kernel is copied when it grows.
    private static let writeSize = 64 << 10

    /// False if the session has nothing that it may write now.
    private func produce(
        _ session: ClientSession, to transport: TLSTransport, scratch: inout [UInt8]
    ) throws(SessionError) -> Bool {
        while transport.room > 0, session.hasOutput {
            scratch.removeAll(keepingCapacity: true)
            try session.produce(into: &scratch, upTo: min(transport.room, 16_384))
            if scratch.isEmpty { return false }
            scratch.withUnsafeBytes { transport.write($0) }
            if transport.unwritten >= Self.writeSize { transport.flush() }
        }
        return true
    }

    /// Returns memory that it does not need while no push is in flight. True if pushes have used it since the last time.
    func rest() -> Bool {
        if events.isEmpty { events = [] }
        return session?.rest() ?? false
    }

    // MARK: Going down

    /// The streams of a lost link, with how much of each the kernel took.
    func lostStreams() -> [(slot: Int32, fate: WriteFate, answer: Response?)] {
        guard let session, let transport else { return [] }
        return session.openStreams().map { stream in
            let fate = transport.fate(firstByte: stream.progress.firstByte, end: stream.progress.end)
            return (Int32(stream.tag), fate, stream.partialResponse)
        }
    }

    /// Sends GOAWAY and closes. Unwritten parts of requests stay unwritten: they were judged by that.
    func close(_ scratch: inout [UInt8]) {
        guard !isOver else { return }
        session?.withhold()
        session?.goAway()
        // After our own GOAWAY a session without streams has finished. That is no failure of the link.
        writeOutput(&scratch)
        isOver = true
        dial?.cancel()
        transport?.close()
    }

    /// Closes at once.
    func abandon() {
        guard !isOver else { return }
        isOver = true
        dial?.cancel()
        transport?.abort()
    }

    private func fail(_ cause: LinkFailure) {
        guard !isOver else { return }
        isOver = true
        // The owner judges the streams by what the kernel has taken so far.
        owner?.link(self, failed: speaksHTTP1 ? .http1 : cause)
        sayWhy()
    }

    /// Ends the transport. A peer that broke the protocol is told so (RFC 9113, section 5.4.1), unless requests wait to
    /// be written: they were judged unwritten and must stay so.
    private func sayWhy() {
        guard let transport, let session, session.failure != nil, transport.unwritten == 0 else {
            transport?.abort()
            return
        }
        session.lastWords().withUnsafeBytes { transport.write($0) }
        transport.close()
    }
}

extension Link: TransportDelegate {
    func transportEstablished(_ transport: TLSTransport) {
        guard !isOver else { return }
        owner?.linkSecured(self, isResumed: transport.isResumed, unpinned: transport.unpinnedKeys)
        owner?.linkHasRoom(self)
    }

    func transport(_ transport: TLSTransport, received plaintext: UnsafeRawBufferPointer) {
        guard !isOver, let session else { return }
        hasReceived = true
        do { try session.receive(plaintext, into: &events) } catch {
            speaksHTTP1 = plaintext.contains("HTTP/1.".utf8)
            deliver()
            fail(LinkFailure(.http2, error.sentence))
        }
    }

    func transportDrained(_ transport: TLSTransport) {
        deliver()
        // Also without events: PING and SETTINGS need an answer, and DATA a window update.
        if !isOver, session?.hasOutput == true { owner?.linkHasRoom(self) }
    }

    func transportHasRoom(_ transport: TLSTransport) {
        guard !isOver else { return }
        owner?.linkHasRoom(self)
    }

    func transport(_ transport: TLSTransport, closed error: TransportError?) {
        guard !isOver else { return }
        deliver()
        let byPeer = LinkFailure(.socket, "The peer closed the connection.")
        fail(error.map(LinkFailure.init) ?? byPeer)
    }

    private func deliver() {
        guard !isOver, hasReceived || !events.isEmpty else { return }
        // Moved out, because the owner's reaction may bring new events.
        var burst = events
        events = []
        let hasBytes = hasReceived
        hasReceived = false
        owner?.link(self, received: &burst, hasBytes: hasBytes)
        guard events.isEmpty, burst.count < 2_048 else { return }
        burst.removeAll(keepingCapacity: true)
        events = burst
    }
}
