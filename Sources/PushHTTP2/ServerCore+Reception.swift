import CPushNghttp2

/// Handles the client's frames. nghttp2 checks their form.
extension ServerCore {
    mutating func beganBlock(_ frame: nghttp2_headers) {
        incoming = nil
        guard frame.cat == NGHTTP2_HCAT_REQUEST else { return }
        let slot = streams.insert()
        streams[slot].id = frame.hd.stream_id
        let pointer = Slab<ServerStream>.pointer(to: slot)
        guard nghttp2_session_set_stream_user_data(session.native, frame.hd.stream_id, pointer) == 0 else {
            return streams.remove(slot)
        }
        incoming = slot
    }

    mutating func collect(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        guard let slot = incoming else { return }
        streams[slot].headerSize += name.count + value.count + 32
        guard streams[slot].headerSize <= configuration.maxHeaderListBytes,
            streams[slot].headers.count < configuration.maxHeaderFields
        else {
            streams[slot].hasAllHeaders = false
            return
        }
        streams[slot].headers.append(name, value)
    }

    mutating func arrived(_ frame: UnsafePointer<nghttp2_frame>) {
        let header = frame.pointee.hd
        let endsStream = header.flags & ProducedFrame.endStream != 0
        let isAcknowledgement = header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
        switch UInt32(header.type) {
        case NGHTTP2_HEADERS.rawValue:
            if let slot = incoming {
                incoming = nil
                events.append(.headersReceived(header.stream_id, streams[slot].headers, endsStream: endsStream))
            }
            if endsStream { ended(header.stream_id) }
        case NGHTTP2_DATA.rawValue:
            if endsStream { ended(header.stream_id) }
        case NGHTTP2_RST_STREAM.rawValue:
            guard slot(of: header.stream_id) != nil else { return }
            events.append(.reset(header.stream_id, HTTP2ErrorCode(rawValue: frame.pointee.rst_stream.error_code)))
        case NGHTTP2_SETTINGS.rawValue where isAcknowledgement:
            events.append(.settingsAcknowledged)
            if changesStreamWindows { reviewStreamWindows() }
        case NGHTTP2_SETTINGS.rawValue:
            settings.merge(frame.pointee.settings, of: session.native)
            events.append(.settings(settings))
        case NGHTTP2_PING.rawValue:
            arrivedPing(frame.pointee.ping, isAcknowledgement: isAcknowledgement)
        case NGHTTP2_GOAWAY.rawValue:
            let goAway = frame.pointee.goaway
            events.append(
                .goAway(
                    lastStreamID: goAway.last_stream_id, HTTP2ErrorCode(rawValue: goAway.error_code),
                    debugData: NativeSession.debugData(of: goAway)))
        default:
            break
        }
    }

    private mutating func arrivedPing(_ ping: nghttp2_ping, isAcknowledgement: Bool) {
        let payload = NativeSession.payload(of: ping)
        events.append(isAcknowledgement ? .pong(payload) : .ping(payload))
        guard !isAcknowledgement, answersPings else { return }
        session.check(
            withUnsafeBytes(of: ping.opaque_data) {
                nghttp2_submit_ping(
                    session.native, UInt8(NGHTTP2_FLAG_ACK.rawValue),
                    $0.baseAddress?.assumingMemoryBound(to: UInt8.self))
            })
    }

    mutating func arrivedBody(on stream: StreamID, _ bytes: UnsafeBufferPointer<UInt8>) {
        consumed(bytes.count, of: stream)
        guard let slot = slot(of: stream) else { return }
        streams[slot].bodyLength += bytes.count
        streams[slot].body.append(contentsOf: bytes.prefix(configuration.maxBodyBytes - streams[slot].body.count))
    }

    private mutating func ended(_ stream: StreamID) {
        guard let slot = slot(of: stream), !streams[slot].isReceived else { return }
        streams[slot].isReceived = true
        events.append(.request(streams[slot].takeRequest()))
    }

    mutating func closed(_ stream: StreamID, code: HTTP2ErrorCode) {
        guard let slot = slot(of: stream) else { return }
        events.append(.closed(stream, code))
        if incoming == slot { incoming = nil }
        streams.remove(slot)
    }
}
