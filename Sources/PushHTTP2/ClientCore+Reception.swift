import CPushNghttp2

/// Handles the peer's frames. nghttp2 checks their form; this decides what the valid ones mean.
extension ClientCore {
    mutating func began(_ header: nghttp2_frame_hd) {
        // We sent ENABLE_PUSH 0 (RFC 9113, section 8.4). nghttp2 enforces it only after the peer's acknowledgement.
        if header.type == UInt8(NGHTTP2_PUSH_PROMISE.rawValue) {
            session.terminate(.protocolError, "PUSH_PROMISE: push is off")
        }
    }

    // MARK: Header blocks

    mutating func beganBlock(of stream: StreamID) {
        // A block after the final one contains trailers, which APNs does not send.
        let slot = slot(of: stream)
        let isOfInterest = slot.map { !streams[$0].isFinished && streams[$0].status == 0 } ?? false
        incoming.begin(isOfInterest ? slot : nil)
    }

    mutating func collect(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        if !incoming.collect(name, value, within: configuration) { cutHeaders() }
    }

    /// The header block exceeds its bound. Keep the status, which comes first, and ignore the rest.
    private mutating func cutHeaders() {
        guard let slot = incoming.slot else { return }
        incoming.ignore()
        if incoming.isFinal { streams[slot].answered(incoming.status, headers: incoming.takeFields()) }
        session.submitReset(streams[slot].id, code: .cancel)
        finish(slot, code: .protocolError, isMalformed: true)
    }

    /// A valid header block is complete.
    private mutating func endedBlock(_ slot: Int, endsStream: Bool) {
        incoming.ignore()
        if incoming.isInformational, !endsStream { return }
        if incoming.isFinal {
            streams[slot].answered(incoming.status, headers: incoming.takeFields())
        } else {
            session.submitReset(streams[slot].id, code: .protocolError)
            finish(slot, code: .protocolError, isMalformed: true)
        }
    }

    // MARK: Frames

    mutating func arrived(_ frame: UnsafePointer<nghttp2_frame>) {
        let header = frame.pointee.hd
        switch UInt32(header.type) {
        case NGHTTP2_HEADERS.rawValue:
            let endsStream = header.flags & ProducedFrame.endStream != 0
            let slot = incoming.slot
            if let slot { endedBlock(slot, endsStream: endsStream) }
            if endsStream { ended(slot ?? self.slot(of: header.stream_id)) }
        case NGHTTP2_DATA.rawValue:
            if header.flags & ProducedFrame.endStream != 0 { ended(slot(of: header.stream_id)) }
        case NGHTTP2_SETTINGS.rawValue where header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0:
            let stream = settings.initialWindowSize
            settings.merge(frame.pointee.settings, of: session.native)
            bodies.granted(max(0, settings.initialWindowSize - stream))
            // One after the other: a frame that states two sizes has both applied (RFC 9113, section 6.5.3).
            for size in PeerSettings.tableSizes(in: frame.pointee.settings) { encoder.peerAllows(size) }
            report(.settings(settings))
        case NGHTTP2_PING.rawValue where header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0:
            report(.pong(NativeSession.payload(of: frame.pointee.ping)))
        case NGHTTP2_WINDOW_UPDATE.rawValue:
            peerGranted(frame.pointee.window_update)
        case NGHTTP2_GOAWAY.rawValue:
            arrivedGoAway(frame.pointee.goaway)
        default:
            break
        }
    }

    mutating func arrivedBody(on stream: StreamID, _ bytes: UnsafeBufferPointer<UInt8>) {
        guard let slot = slot(of: stream), !streams[slot].isFinished else { return }
        let room = configuration.maxBodyBytes - streams[slot].body.count
        streams[slot].body.append(contentsOf: bytes.prefix(room))
        guard bytes.count > room else { return }
        session.submitReset(stream, code: .cancel)
        finish(slot, code: .cancel)
    }

    /// The peer ended its side of the stream.
    private mutating func ended(_ slot: Int?) {
        guard let slot, !streams[slot].isFinished else { return }
        // The answer came before the whole request was sent: do not send the rest (RFC 9113, section 8.1).
        if streams[slot].end == ClientStream.never { session.submitReset(streams[slot].id, code: .cancel) }
        finish(slot, code: .noError, isComplete: true)
    }

    /// A frame of the stream breaks a rule, so nghttp2 is about to reset the stream or to end the connection. Report
    /// the end now: the reset would do so only once it is produced.
    mutating func arrivedInvalid(_ header: nghttp2_frame_hd) {
        guard let slot = slot(of: header.stream_id) else { return }
        incoming.ignore()
        finish(slot, code: .protocolError, isMalformed: true)
    }

    private mutating func arrivedGoAway(_ goAway: nghttp2_goaway) {
        goAways += 1
        let last = goAway.last_stream_id
        // Ignore repetitions: each would cost a walk over all streams.
        if let lastGoAway, last >= lastGoAway { return }
        lastGoAway = last
        report(
            .goAway(
                lastStreamID: last, HTTP2ErrorCode(rawValue: goAway.error_code),
                debugData: NativeSession.debugData(of: goAway)))
        // Requests without a produced frame will never be sent: no stream is opened after GOAWAY (RFC 9113, section
        // 6.8).
        var refused: [(id: StreamID, slot: Int)] = []
        for slot in streams.taken where !streams[slot].isFinished {
            let id = streams[slot].id
            if id > last || streams[slot].firstByte == ClientStream.never { refused.append((id, slot)) }
        }
        for (_, slot) in refused.sorted(by: { $0.id < $1.id }) { finish(slot, code: .refusedStream) }
    }

    // MARK: Ends

    /// nghttp2 releases the stream: both sides ended it, one side reset it, GOAWAY refused it, or it was never sent.
    mutating func closed(_ stream: StreamID, code: HTTP2ErrorCode) {
        guard let slot = slot(of: stream) else { return }
        finish(slot, code: code)
        if streams[slot].firstByte == ClientStream.never {
            unproduced -= 1
            if unproduced == 0 { waitingHeads.removeAll() }
        }
        streams.remove(slot)
        if incoming.slot == slot { incoming.ignore() }
    }

    /// Reports the stream's last event, unless it was reported already.
    private mutating func finish(
        _ slot: Int, code: HTTP2ErrorCode, isComplete: Bool = false, isMalformed: Bool = false
    ) {
        if !streams[slot].isFinished { dropBody(of: slot) }
        guard let event = streams[slot].finish(code, isComplete: isComplete, isMalformed: isMalformed) else { return }
        idleBytes = 0
        report(event)
    }
}
