import CPushNghttp2

/// A body that nghttp2 reads frame by frame.
struct OutgoingBody {
    private var bytes: [UInt8] = []
    private var sent = 0

    init() {}

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// How many bytes have not been read.
    var unsent: Int { bytes.count - sent }

    /// Copies as much as fits.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPart {
        let count = min(buffer.count, bytes.count - sent)
        bytes.withUnsafeBytes { bytes in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[sent..<sent + count]))
        }
        sent += count
        return BodyPart(count: count, isLast: sent == bytes.count)
    }
}

/// A part of a body, copied into a frame.
struct BodyPart {
    var count: Int
    var isLast: Bool
}

/// What comes of reading a body.
enum BodyReading {
    case part(BodyPart)
    /// It is not its turn.
    case later
    /// There is no body any more.
    case lost
}

/// The callback through which nghttp2 reads the body of a stream, frame by frame.
enum BodySource {
    /// Passes `body` a provider that calls `read` with `pointer` as its source. The pointer encodes a slot.
    static func lend<Result>(
        _ pointer: UnsafeMutableRawPointer?, read: nghttp2_data_source_read_callback,
        _ body: (UnsafePointer<nghttp2_data_provider>?) -> Result
    ) -> Result {
        let provider = nghttp2_data_provider(source: nghttp2_data_source(ptr: pointer), read_callback: read)
        return withUnsafePointer(to: provider, body)
    }

    /// The result of a read callback. If the body is lost, nghttp2 resets the stream, so it never looks like a complete
    /// one.
    static func result(of reading: BodyReading, flags: UnsafeMutablePointer<UInt32>?) -> Int {
        switch reading {
        case .part(let part):
            if part.isLast { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
            return part.count
        case .later: return Int(NGHTTP2_ERR_DEFERRED.rawValue)
        case .lost: return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
        }
    }
}
