import Dispatch

/// A TLS connection over a byte channel, on one queue.
///
/// Every member is used on the queue of `start`. It reads in bursts: the channel until it is empty, decrypted at once
/// and handed on in large pieces, then one `transportDrained`. Writing gathers: `write` encrypts, `flush` gives all of
/// it to the channel in one piece; what the kernel refuses goes out by itself when it takes bytes again.
///
/// A failure found inside `start`, `write` or `flush` is told in a later block of the queue, after what the peer had
/// sent before was delivered, so no callback ever comes from inside a call. After `close` or `abort` none comes at all.
/// A transport that is released without either closes its channel.
package final class TLSTransport: @unchecked Sendable {
    // Sendable, because it is confined to its queue; before `start` one owner has it.

    private enum Phase {
        case idle
        case handshaking
        case established
        /// No more writes; the last bytes are delivered, then `closed`.
        case ending
        case ended
    }

    /// Ciphertext that may wait for the kernel.
    private static let unwrittenLimit = 256 << 10
    /// Ciphertext that may wait for the kernel where TLS itself answers: key updates, refused renegotiations.
    private static let answerLimit = 2 * unwrittenLimit
    /// Ciphertext read in one burst; then others on the queue have their turn.
    private static let burstLimit = 1 << 20

    private let channel: any ByteChannel
    private let engine: TLSEngine
    private weak var delegate: (any TransportDelegate)?
    private var queue: DispatchQueue?
    private var phase = Phase.idle
    private var ledger = RecordLedger()
    /// Plaintext that TLS could not encrypt yet, see `TLSEngine.write`. The ledger does not know of it.
    private var unencrypted = ByteQueue()
    /// The channel refused bytes; `.writable` will come.
    private var isBlocked = false

    package init(channel: any ByteChannel, engine: TLSEngine) {
        self.channel = channel
        self.engine = engine
    }

    deinit {
        // The channel is confined to the queue, and the last reference may go anywhere.
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

    /// What the kernel has not taken yet: ciphertext, and plaintext that is to be encrypted.
    package var unwritten: Int { phase == .ended ? 0 : engine.outgoing.count + unencrypted.count }

    /// Plaintext bytes that may be written now: 0 before the handshake is done, after the end, and while 256 KiB of
    /// ciphertext are unwritten.
    package var room: Int { phase == .established ? max(0, Self.unwrittenLimit - unwritten) : 0 }

    /// Encrypts into records of at most 16 KiB, one for up to 16 KiB. A caller heeds `room`; a last frame may exceed it.
    /// Does nothing before the handshake is done and after the end.
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

    /// More has arrived: what waits for that may be encrypted now.
    private func encryptRest() {
        guard !unencrypted.isEmpty else { return }
        let bytes = unencrypted.bytes
        unencrypted.consume(bytes.count - encrypt(bytes).count)
    }

    /// Gives the channel what it takes of all that was written, in one piece; the rest follows by itself. Room that
    /// grows in here is not announced: look at `room` afterwards.
    package func flush() { send() }

    /// What is certain about a stream's bytes, once the link is gone. Offsets count the plaintext given to `write`.
    ///
    /// - Parameters:
    ///   - firstByte: offset of the stream's first byte; nil if none was produced.
    ///   - end: offset just past its END_STREAM; nil if that was not produced.
    package func fate(firstByte: UInt64?, end: UInt64?) -> WriteFate { ledger.fate(firstByte: firstByte, end: end) }

    /// Sends close_notify and what is unwritten as far as the kernel takes it now, then closes. No callback follows.
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

    /// Reads what has arrived now, as if the channel had just said so. The one call that calls the delegate back from
    /// inside: not to be made in a callback.
    package func readArrived() { readBurst() }

    // MARK: The peer

    /// What was agreed on; nil before the handshake is done. After the end, too.
    package var agreement: TLSAgreement? { engine.agreement }

    /// Whether the handshake went on from an earlier connection's session.
    package var isResumed: Bool { engine.isResumed }

    /// The keys of the server's chain, if it has none of the pinned ones and was let through all the same.
    package var unpinnedKeys: [KeyPin]? { engine.unpinnedKeys }

    /// nil if the peer's certificate passed the check or it sent none; else which check failed. Of use to a server.
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
        // What waited for TLS has left.
        if wasEstablished, !hadRoom, room > 0 {
            delegate?.transportHasRoom(self)
            send()
        }
        guard phase != .ended else { return }
        if case .over(let error) = outcome { finish(error) }
    }

    private enum Outcome {
        case open
        /// Nothing more comes; nil after close_notify.
        case over(TransportError?)
    }

    /// Reads until the channel is empty or over, or the burst is long enough, or somebody closed.
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
                    UnsafeRawBufferPointer(rebasing: buffers.ciphertext.prefix(count)), buffers, &received)
                guard case .open = outcome, phase != .ended else { return (outcome, received) }
                encryptRest()
                if engine.outgoing.count > Self.answerLimit {
                    send()
                    if engine.outgoing.count > Self.answerLimit { return (.over(Self.flooded), received) }
                }
            // A short read is no reason to stop: a reset may stand behind these bytes, and Dispatch tells it only once.
            case .wouldBlock: return (.open, received)
            case .endOfStream: return (.over(engine.endedEarly()), received)
            case .failed(let number): return (.over(.socket(number)), received)
            }
        }
        // Not left to the channel's next event: a reset may stand behind what is unread, and Dispatch tells it only once.
        queue?.async { [weak self] in self?.readBurst() }
        return (.open, received)
    }

    private static let flooded = TransportError(
        layer: .tls, code: .flooded,
        sentence: "The peer makes TLS answer faster than it reads the answers. A new connection is needed.")

    private func decrypt(
        _ ciphertext: UnsafeRawBufferPointer, _ buffers: ScratchBuffers, _ received: inout Bool
    ) -> Outcome {
        var outcome = Outcome.open
        do {
            try engine.feed(ciphertext) { () throws(TransportError) in
                if phase == .handshaking {
                    guard try engine.handshake() else { return }
                    phase = .established
                    delegate?.transportEstablished(self)
                }
                if phase != .ended { outcome = try decryptRecords(buffers.plaintext, &received) }
            }
        } catch {
            return .over(error)
        }
        return outcome
    }

    /// Gathers records while the buffer holds another one, so that one delivery carries many.
    private func decryptRecords(
        _ buffer: UnsafeMutableRawBufferPointer, _ received: inout Bool
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
            // What came before the failure is authentic.
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
                // Nothing more is written; the reading side tells the end.
                isBlocked = true
                return endLater(.socket(number))
            }
        }
    }

    // MARK: The end

    /// Ends from inside one of the owner's calls. The peer may have said why before it closed, so what has arrived is
    /// delivered first.
    private func endLater(_ error: TransportError) {
        guard phase == .handshaking || phase == .established else { return }
        let wasEstablished = phase == .established
        phase = .ending
        queue?.async { [weak self] in self?.endNow(error, wasEstablished) }
    }

    private func endNow(_ error: TransportError, _ wasEstablished: Bool) {
        guard phase == .ending else { return }
        guard wasEstablished else { return finish(error) }
        let (outcome, received) = readChannel()
        if received, phase != .ended { delegate?.transportDrained(self) }
        guard phase != .ended else { return }
        switch outcome {
        case .over(nil): finish(nil)
        // An alert tells more than the write that failed because of it.
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
