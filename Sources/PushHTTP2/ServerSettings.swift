import CPushNghttp2

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
