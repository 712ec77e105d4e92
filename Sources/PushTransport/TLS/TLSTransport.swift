import Dispatch

/// A TLS connection over a byte channel, on one queue.
///
/// All members must be used on the queue of `start`. The transport reads in bursts: it reads the channel until it is
/// empty, decrypts, delivers large pieces, and then calls `transportDrained` once. Writes are collected: `write`
/// encrypts, and `flush` passes everything to the channel in one piece. Bytes that the kernel refuses are sent when it
/// accepts bytes again.
///
/// A failure inside `start`, `write` or `flush` is reported in a later block of the queue, after the data that the peer
/// had sent, so no callback ever comes from inside a call. After `close` or `abort` no callback comes. A transport that
/// is released without either closes its channel.
package final class TLSTransport: @unchecked Sendable {
    // Sendable: it is confined to its queue, and to one owner before `start`.

    private enum Phase {
        case idle
        case handshaking
        case established
        /// No more writes. The last bytes are delivered, then `closed`.
        case ending
        case ended
    }

    /// How much ciphertext may wait for the kernel.
    private static let unwrittenLimit = 256 << 10
    /// How much ciphertext may wait for the kernel when TLS itself answers: key updates, refused renegotiations.
    private static let answerLimit = 2 * unwrittenLimit
    /// How much ciphertext one burst reads before other work on the queue gets a turn.
    private static let burstLimit = 1 << 20

    private let channel: any ByteChannel
    private let engine: TLSEngine
    private weak var delegate: (any TransportDelegate)?
    private var queue: DispatchQueue?
    private var phase = Phase.idle
    private var ledger = RecordLedger()
    /// Plaintext that TLS could not encrypt yet (see `TLSEngine.write`). It is not in the ledger.
    private var unencrypted = ByteQueue()
    /// The channel refused bytes; `.writable` will follow.
    private var isBlocked = false

    package init(channel: any ByteChannel, engine: TLSEngine) {
        self.channel = channel
        self.engine = engine
    }

    deinit {
        // The channel is confined to the queue, but the last reference may be released anywhere.
        guard phase != .ended, let queue else { return }
        queue.async { [channel] in channel.close() }
    }

    /// Starts the handshake. `delegate` is held weakly.
    package func start(on queue: DispatchQueue, delegate: any TransportDelegate) {
        guard phase == .idle else { return }
        phase = .handshaking
        self.queue = queue
        self.delegate = delegate
        channel.activate(on: queue) { [weak self] event in
            switch event {
            case .readable: self?.readBurst()
            case .writable: self?.becameWritable()
            }
        }
        do {
            _ = try engine.handshake()
            send()
        } catch {
            endLater(error)
        }
    }

    // MARK: Writing

    /// How many bytes the kernel has not accepted yet: ciphertext, and plaintext that waits for encryption.
    package var unwritten: Int { phase == .ended ? 0 : engine.outgoing.count + unencrypted.count }

    /// How many plaintext bytes may be written now: 0 before the handshake is complete, after the end, and while 256
    /// KiB of ciphertext are unwritten.
    package var room: Int { phase == .established ? max(0, Self.unwrittenLimit - unwritten) : 0 }

    /// Encrypts into records of at most 16 KiB. Callers respect `room`, but the last frame may exceed it. Does nothing
    /// before the handshake is complete and after the end.
    package func write(_ plaintext: UnsafeRawBufferPointer) {
        let rest = unencrypted.isEmpty ? encrypt(plaintext) : plaintext
        if phase == .established { unencrypted.append(rest) }
    }

    /// Returns what TLS cannot encrypt yet.
    private func encrypt(_ plaintext: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var rest = plaintext
        while phase == .established, !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(TLSEngine.recordLimit))
            let start = ledger.taken + UInt64(engine.outgoing.count)
            do {
                guard try engine.write(part) else { return rest }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
                ledger.encrypted(part.count, from: start, to: ledger.taken + UInt64(engine.outgoing.count))
            } catch {
                endLater(error)
            }
        }
        return rest
    }

    /// Encrypts what had to wait for more input.
    private func encryptRest() {
        guard !unencrypted.isEmpty else { return }
        let bytes = unencrypted.bytes
        unencrypted.consume(bytes.count - encrypt(bytes).count)
    }

    /// Passes all written bytes to the channel in one piece. The rest follows automatically. If this creates room, it
    /// is not announced: check `room` afterwards.
    package func flush() { send() }

    /// What is certain about a stream's bytes after the link ended. Offsets count the plaintext passed to `write`.
    ///
    /// - Parameters:
    ///   - firstByte: The offset of the stream's first byte; nil if none was produced.
    ///   - end: The offset just past its END_STREAM; nil if that was not produced.
    package func fate(firstByte: UInt64?, end: UInt64?) -> WriteFate { ledger.fate(firstByte: firstByte, end: end) }

    /// Sends close_notify and as many unwritten bytes as the kernel accepts now, then closes. No callback follows.
    package func close() {
        guard phase != .ended else { return }
        if phase == .established {
            engine.endStream()
            send()
        }
        end()
        channel.close()
    }

    /// Ends the connection with a reset. No callback follows.
    package func abort() {
        guard phase != .ended else { return }
        end()
        channel.abort()
    }

    // MARK: Reading

    /// Reads what has arrived, as if the channel had just become readable. The only call that calls the delegate from
    /// inside. Must not be called in a callback.
    package func readArrived() { readBurst() }

    // MARK: The peer

    /// The negotiated parameters; nil before the handshake is complete. Also available after the end.
    package var agreement: TLSAgreement? { engine.agreement }

    /// Whether the handshake resumed the session of an earlier connection.
    package var isResumed: Bool { engine.isResumed }

    /// The keys of the server's chain, if it contains none of the pinned ones but was accepted anyway.
    package var unpinnedKeys: [KeyPin]? { engine.unpinnedKeys }

    /// For a server: the check that the peer's certificate failed; nil if it passed or the peer sent none.
    package var peerVerification: TransportError.Code? { engine.peerVerification }

    /// The peer's certificate; nil if it sent none.
    package var peerCertificateDER: [UInt8]? { engine.peerCertificateDER }

    // MARK: Events

    private func becameWritable() {
        guard phase != .ended else { return }
        isBlocked = false
        let hadRoom = room > 0
        send()
        guard phase == .established, !hadRoom, room > 0 else { return }
        delegate?.transportHasRoom(self)
        send()
    }

    private func readBurst() {
        guard phase == .handshaking || phase == .established else { return }
        let wasEstablished = phase == .established
        let hadRoom = room > 0
        let (outcome, received) = readChannel()
        guard phase != .ended else { return }
        if case .over = outcome { phase = .ending }
        if received || (!wasEstablished && engine.isEstablished) { delegate?.transportDrained(self) }
        guard phase != .ended else { return }
        send()
        // The plaintext that waited for TLS was sent.
        if wasEstablished, !hadRoom, room > 0 {
            delegate?.transportHasRoom(self)
            send()
        }
        guard phase != .ended else { return }
        if case .over(let error) = outcome { finish(error) }
    }

    private enum Outcome {
        case open
        /// Nothing more follows; nil after close_notify.
        case over(TransportError?)
    }

    /// Reads until the channel is empty or ended, the burst limit is reached, or the transport was closed.
    private func readChannel() -> (Outcome, received: Bool) {
        let buffers = ScratchBuffers.borrow()
        defer { ScratchBuffers.giveBack(buffers) }
        var received = false
        var budget = Self.burstLimit
        while budget > 0 {
            switch channel.read(into: buffers.ciphertext) {
            case .bytes(let count):
                budget -= count
                let outcome = decrypt(
                    UnsafeRawBufferPointer(rebasing: buffers.ciphertext.prefix(count)), buffers: buffers,
                    received: &received)
                guard case .open = outcome, phase != .ended else { return (outcome, received) }
                encryptRest()
                if engine.outgoing.count > Self.answerLimit {
                    send()
                    if engine.outgoing.count > Self.answerLimit { return (.over(Self.flooded), received) }
                }
            // Continue after a short read: a reset may follow these bytes, and Dispatch reports it only once.
            case .wouldBlock: return (.open, received)
            case .endOfStream: return (.over(engine.endedEarly()), received)
            case .failed(let number): return (.over(.socket(number)), received)
            }
        }
        // Do not wait for the channel's next event: a reset may follow the unread bytes, and Dispatch reports it only
        // once.
        queue?.async { [weak self] in self?.readBurst() }
        return (.open, received)
    }

    private static let flooded = TransportError(
        layer: .tls, code: .flooded,
        sentence: "The peer makes TLS produce answers faster than it reads them. A new connection is needed.")

    private func decrypt(
        _ ciphertext: UnsafeRawBufferPointer, buffers: ScratchBuffers, received: inout Bool
    ) -> Outcome {
        var outcome = Outcome.open
        do {
            try engine.feed(ciphertext) { () throws(TransportError) in
                if phase == .handshaking {
                    guard try engine.handshake() else { return }
                    phase = .established
                    delegate?.transportEstablished(self)
                }
                if phase != .ended { outcome = try decryptRecords(buffers.plaintext, received: &received) }
            }
        } catch {
            return .over(error)
        }
        return outcome
    }

    /// Collects records while the buffer has room for another one, so that one delivery contains many.
    private func decryptRecords(
        _ buffer: UnsafeMutableRawBufferPointer, received: inout Bool
    ) throws(TransportError) -> Outcome {
        var filled = 0
        func deliver() {
            guard filled > 0, phase != .ended else { return }
            received = true
            delegate?.transport(self, received: UnsafeRawBufferPointer(rebasing: buffer.prefix(filled)))
            filled = 0
        }
        do throws(TransportError) {
            while phase != .ended {
                switch try engine.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])) {
                case .bytes(let count):
                    filled += count
                    if buffer.count - filled < TLSEngine.recordLimit { deliver() }
                case .needsMore:
                    deliver()
                    return .open
                case .endOfStream:
                    deliver()
                    return .over(nil)
                }
            }
        } catch {
            // The data before the failure is authentic.
            deliver()
            throw error
        }
        return .open
    }

    private func send() {
        guard phase != .ended, !isBlocked else { return }
        while true {
            let bytes = engine.outgoing
            guard !bytes.isEmpty else { return }
            switch channel.write(bytes) {
            case .taken(let count):
                ledger.took(count)
                engine.consumeOutgoing(count)
            case .wouldBlock:
                isBlocked = true
                return
            case .failed(let number):
                // Nothing more is written. Reading reports the end.
                isBlocked = true
                return endLater(.socket(number))
            }
        }
    }

    // MARK: The end

    /// Ends from inside one of the owner's calls. The peer may have sent the reason before it closed, so deliver first
    /// what has arrived.
    private func endLater(_ error: TransportError) {
        guard phase == .handshaking || phase == .established else { return }
        let wasEstablished = phase == .established
        phase = .ending
        queue?.async { [weak self] in self?.endNow(error, wasEstablished: wasEstablished) }
    }

    private func endNow(_ error: TransportError, wasEstablished: Bool) {
        guard phase == .ending else { return }
        guard wasEstablished else { return finish(error) }
        let (outcome, received) = readChannel()
        if received, phase != .ended { delegate?.transportDrained(self) }
        guard phase != .ended else { return }
        switch outcome {
        case .over(nil): finish(nil)
        // An alert says more than the write that failed because of it.
        case .over(let reason?) where reason.layer == .tls && reason.code != .truncated: finish(reason)
        case .over, .open: finish(error)
        }
    }

    private func finish(_ error: TransportError?) {
        guard phase != .ended else { return }
        let delegate = self.delegate
        end()
        channel.close()
        delegate?.transport(self, closed: error)
    }

    private func end() {
        phase = .ended
        delegate = nil
        engine.end()
        engine.discardOutgoing()
        unencrypted.removeAll()
    }
}

/// The user of a `TLSTransport`. All calls come on the transport's queue, never from inside a call to the transport.
/// Each of them may call `write`, `flush`, `close` and `abort`.
package protocol TransportDelegate: AnyObject {
    /// The handshake is complete: certificate and host name are verified, and HTTP/2 is negotiated if it is required.
    func transportEstablished(_ transport: TLSTransport)
    /// Plaintext arrived. The pointer is valid during the call.
    func transport(_ transport: TLSTransport, received plaintext: UnsafeRawBufferPointer)
    /// The socket was read until empty: the time to answer and flush. Called once per burst, and once after the
    /// handshake.
    func transportDrained(_ transport: TLSTransport)
    /// `room` grew from 0.
    func transportHasRoom(_ transport: TLSTransport)
    /// The link ended. Called exactly once, as the last call, and not after `close` or `abort`.
    ///
    /// - Parameter error: Nil if the peer closed in order, with close_notify.
    func transport(_ transport: TLSTransport, closed error: TransportError?)
}
