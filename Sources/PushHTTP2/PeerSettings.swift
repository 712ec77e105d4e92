import CPushNghttp2

/// What the peer's SETTINGS frames add up to so far (RFC 9113 section 6.5.2).
package struct PeerSettings: Sendable, Equatable {
    /// Streams we may have open at a time; nil until the peer states a value.
    package var maxConcurrentStreams: Int?
    /// Bytes of a body that may be sent on a new stream before WINDOW_UPDATE.
    package var initialWindowSize: Int
    /// The largest frame payload the peer takes, in bytes.
    package var maxFrameSize: Int
    /// Bytes of the peer's HPACK table.
    package var headerTableSize: Int
    /// The largest header list the peer takes, as RFC 9113 counts it; nil while it stated none.
    package var maxHeaderListSize: Int?

    package init(
        maxConcurrentStreams: Int? = nil, initialWindowSize: Int = 65_535, maxFrameSize: Int = 16_384,
        headerTableSize: Int = 4_096, maxHeaderListSize: Int? = nil
    ) {
        self.maxConcurrentStreams = maxConcurrentStreams
        self.initialWindowSize = initialWindowSize
        self.maxFrameSize = maxFrameSize
        self.headerTableSize = headerTableSize
        self.maxHeaderListSize = maxHeaderListSize
    }

    /// Takes over a SETTINGS frame that nghttp2 has just applied.
    mutating func merge(_ frame: nghttp2_settings, of session: OpaquePointer) {
        // nghttp2 has no "not stated" for this setting, so the frame itself is read.
        for entry in UnsafeBufferPointer(start: frame.iv, count: frame.niv)
        where entry.settings_id == Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue) {
            maxConcurrentStreams = Int(entry.value)
        }
        func value(_ id: nghttp2_settings_id) -> Int { Int(nghttp2_session_get_remote_settings(session, id)) }
        initialWindowSize = value(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE)
        maxFrameSize = value(NGHTTP2_SETTINGS_MAX_FRAME_SIZE)
        headerTableSize = value(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE)
        let listSize = value(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE)
        maxHeaderListSize = listSize == Int(UInt32.max) ? nil : listSize
    }
}
