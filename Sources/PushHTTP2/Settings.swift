import CPushNghttp2

/// The combination of all SETTINGS frames of the peer so far (RFC 9113, section 6.5.2).
package struct PeerSettings: Sendable, Equatable {
    /// How many streams we may have open at a time; nil until the peer states a value.
    package var maxConcurrentStreams: Int?
    /// How many body bytes may be sent on a new stream before WINDOW_UPDATE.
    package var initialWindowSize: Int
    /// The largest frame payload that the peer accepts, in bytes.
    package var maxFrameSize: Int
    /// The size of the peer's HPACK table in bytes.
    package var headerTableSize: Int
    /// The largest header list that the peer accepts, as RFC 9113 counts it; nil until the peer states a value.
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

    /// The sizes of the HPACK table that a frame states, in order.
    static func tableSizes(in frame: nghttp2_settings) -> some Sequence<Int> {
        UnsafeBufferPointer(start: frame.iv, count: frame.niv).lazy
            .filter { $0.settings_id == Int32(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE.rawValue) }
            .map { Int($0.value) }
    }

    /// Adds a SETTINGS frame that nghttp2 has just applied.
    mutating func merge(_ frame: nghttp2_settings, of session: OpaquePointer) {
        // nghttp2 cannot express "not stated" for this setting, so read it from the frame.
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

/// The values of a SETTINGS frame. Nil means not stated: the earlier value stays valid.
package struct ServerSettings: Sendable, Equatable {
    package var maxConcurrentStreams: Int?
    package var initialWindowSize: Int?
    package var maxFrameSize: Int?
    package var headerTableSize: Int?
    package var maxHeaderListSize: Int?

    package init(
        maxConcurrentStreams: Int? = nil, initialWindowSize: Int? = nil, maxFrameSize: Int? = nil,
        headerTableSize: Int? = nil, maxHeaderListSize: Int? = nil
    ) {
        self.maxConcurrentStreams = maxConcurrentStreams
        self.initialWindowSize = initialWindowSize
        self.maxFrameSize = maxFrameSize
        self.headerTableSize = headerTableSize
        self.maxHeaderListSize = maxHeaderListSize
    }

    var nativeEntries: [nghttp2_settings_entry] {
        [
            (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, maxConcurrentStreams),
            (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, initialWindowSize),
            (NGHTTP2_SETTINGS_MAX_FRAME_SIZE, maxFrameSize),
            (NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, headerTableSize),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, maxHeaderListSize),
        ].compactMap { id, value in
            value.map { nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: UInt32(clamping: $0)) }
        }
    }
}
