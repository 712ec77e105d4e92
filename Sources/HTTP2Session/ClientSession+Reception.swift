import CPushNghttp2

/// What the peer's frames mean to a client. nghttp2 checks their form; what it lets pass is decided here.
extension ClientSession {
    func began(_ header: nghttp2_frame_hd) {
        // We said ENABLE_PUSH 0 (RFC 9113 section 8.4); nghttp2 objects only once the peer has acknowledged that.
        if header.type == UInt8(NGHTTP2_PUSH_PROMISE.rawValue) {
            terminate(.protocolError, "PUSH_PROMISE: push is off")
        }
    }

    // MARK: Header blocks

    func beganBlock(_ frame: nghttp2_headers) {
        incoming = IncomingBlock()
        // A block after the final one holds trailers, of which APNs has none.
        guard let slot = slot(of: frame.hd.stream_id), !streams[slot].isSettled, streams[slot].status == 0
        else { return }
        incoming.slot = slot
    }

    func collect(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        guard let slot = incoming.count(name, value) else { return }
        guard incoming.size <= configuration.maxHeaderListBytes,
            streams[slot].keep(name, value, upTo: configuration.maxHeaderFields)
        else { return cutHeaders(slot) }
    }

    /// The block exceeds its bound: the status, which comes first, is all that counts.
    private func cutHeaders(_ slot: Int) {
        incoming.slot = nil
        if incoming.isFinal { streams[slot].status = incoming.status }
        submitReset(streams[slot].id, .cancel)
        settle(slot, .protocolError, isMalformed: true)
    }

    /// A header block is complete and nghttp2 found nothing wrong with it.
    private func endedBlock(endsStream: Bool) {
        guard let slot = incoming.slot else { return }
        incoming.slot = nil
        if incoming.isInformational, !endsStream {
            streams[slot].headers = HeaderBlock()
        } else if incoming.isFinal {
            streams[slot].status = incoming.status
        } else {
            submitReset(streams[slot].id, .protocolError)
            settle(slot, .protocolError, isMalformed: true)
        }
    }

    // MARK: Frames

    func arrived(_ frame: UnsafePointer<nghttp2_frame>) {
        let header = frame.pointee.hd
        switch UInt32(header.type) {
        case NGHTTP2_HEADERS.rawValue:
            let endsStream = header.flags & ProducedFrame.endStream != 0
            endedBlock(endsStream: endsStream)
            if endsStream { ended(header.stream_id) }
        case NGHTTP2_DATA.rawValue:
            if header.flags & ProducedFrame.endStream != 0 { ended(header.stream_id) }
        case NGHTTP2_SETTINGS.rawValue where header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0:
            settings.merge(frame.pointee.settings, of: native)
            events.append(.settings(settings))
        case NGHTTP2_PING.rawValue where header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0:
            events.append(.pong(Self.payload(of: frame.pointee.ping)))
        case NGHTTP2_GOAWAY.rawValue:
            arrivedGoAway(frame.pointee.goaway)
        default:
            break
        }
    }

    func arrivedBody(_ stream: StreamID, _ bytes: UnsafeBufferPointer<UInt8>) {
        guard let slot = slot(of: stream), !streams[slot].isSettled else { return }
        let room = configuration.maxBodyBytes - streams[slot].body.count
        streams[slot].body.append(contentsOf: bytes.prefix(room))
        guard bytes.count > room else { return }
        submitReset(stream, .cancel)
        settle(slot, .cancel)
    }

    /// The peer has sent all it had for the stream.
    private func ended(_ stream: StreamID) {
        guard let slot = slot(of: stream), !streams[slot].isSettled else { return }
        // An answer before the request is out: nobody waits for the rest of it (RFC 9113 section 8.1).
        if streams[slot].end == ClientStream.never { submitReset(stream, .cancel) }
        settle(slot, .noError, isComplete: true)
    }

    /// A frame of the stream breaks a rule, so that nghttp2 is about to reset the stream, or to end the connection. The
    /// reset would settle the stream only once it is produced.
    func arrivedInvalid(_ header: nghttp2_frame_hd) {
        guard let slot = slot(of: header.stream_id) else { return }
        incoming.slot = nil
        settle(slot, .protocolError, isMalformed: true)
    }

    private func arrivedGoAway(_ goAway: nghttp2_goaway) {
        goAwayReceived = true
        let last = goAway.last_stream_id
        events.append(
            .goAway(
                lastStreamID: last, HTTP2ErrorCode(rawValue: goAway.error_code), debugData: Self.debugData(of: goAway)))
        // What was not produced can't be any more: no stream is opened after GOAWAY (RFC 9113 section 6.8).
        let refused = streams.taken.filter { slot in
            let stream = streams[slot]
            return !stream.isSettled && (stream.id > last || stream.firstByte == ClientStream.never)
        }
        for slot in refused.sorted(by: { streams[$0].id < streams[$1].id }) { settle(slot, .refusedStream) }
    }

    // MARK: Ends

    /// nghttp2 lets go of the stream: both sides ended it, one reset it, GOAWAY refused it, or it never went out.
    func closed(_ stream: StreamID, _ code: HTTP2ErrorCode) {
        guard let slot = slot(of: stream) else { return }
        settle(slot, code)
        if streams[slot].firstByte == ClientStream.never { unproduced -= 1 }
        streams.remove(slot)
        if incoming.slot == slot { incoming.slot = nil }
    }

    /// Reports the stream's last event, unless it had one.
    private func settle(
        _ slot: Int, _ code: HTTP2ErrorCode, isComplete: Bool = false, isMalformed: Bool = false
    ) {
        guard !streams[slot].isSettled else { return }
        idleBytes = 0
        if let response = streams[slot].response(isComplete: isComplete) {
            events.append(.response(response))
        } else {
            let isWhole = streams[slot].end != ClientStream.never
            events.append(
                .closed(
                    streams[slot].id, tag: streams[slot].tag, code, isRequestWhole: isWhole,
                    isMalformed: isMalformed || isComplete))
        }
        silence(slot)
    }
}
