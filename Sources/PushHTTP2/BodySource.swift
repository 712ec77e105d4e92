import CPushNghttp2

/// A part of a body, copied into a frame.
struct BodyPart {
    var count: Int
    var isLast: Bool
}

/// How nghttp2 asks for the body of a stream, a frame at a time.
enum BodySource {
    /// Lends what `read` gets as the source: a slot in the form of a pointer.
    static func lend<Result>(
        _ pointer: UnsafeMutableRawPointer?, _ read: nghttp2_data_source_read_callback,
        _ body: (UnsafePointer<nghttp2_data_provider>?) -> Result
    ) -> Result {
        let provider = nghttp2_data_provider(source: nghttp2_data_source(ptr: pointer), read_callback: read)
        return withUnsafePointer(to: provider, body)
    }

    /// What a read callback returns. Without a part nghttp2 resets the stream, so a body that is gone never looks
    /// like one that ended.
    static func result(_ part: BodyPart?, _ flags: UnsafeMutablePointer<UInt32>?) -> Int {
        guard let part else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
        if part.isLast { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return part.count
    }
}
