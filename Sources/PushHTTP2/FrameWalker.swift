/// The header of a produced frame (RFC 9113, section 4.1), and the frame's position.
struct ProducedFrame: Equatable {
    static let data: UInt8 = 0x0
    static let headers: UInt8 = 0x1
    static let goAway: UInt8 = 0x7
    static let continuation: UInt8 = 0x9
    static let endStream: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4

    var type: UInt8
    var flags: UInt8
    var stream: StreamID
    /// The offset of its first byte in all produced bytes.
    var start: UInt64
    /// The offset just past its last byte.
    var end: UInt64

    func has(_ flag: UInt8) -> Bool { flags & flag != 0 }
}

/// Finds the frames in a byte stream that arrives in pieces of any size, and counts its bytes.
struct FrameWalker {
    /// How many bytes were seen.
    private(set) var offset: UInt64 = 0
    /// Bytes until the next frame header: the rest of a payload, or of the preface.
    private var toSkip: Int
    /// The start of a frame header that was split between two pieces.
    private var partial: [UInt8] = []

    /// - Parameter preface: The number of bytes before the first frame; 24 for a client (RFC 9113, section 3.4).
    init(preface: Int) {
        toSkip = preface
    }

    /// Whether the next byte begins a frame.
    var isBetweenFrames: Bool { toSkip == 0 && partial.isEmpty }

    /// Counts injected bytes, which contain no frames of the session.
    mutating func skipForeign(_ count: Int) {
        offset += UInt64(count)
    }

    /// The next frame whose header is complete within this piece. Nil at the end of the piece. Call it until it returns
    /// nil, then with the next piece.
    ///
    /// - Parameter position: How much of the piece was seen; start with 0.
    mutating func next(in piece: UnsafeBufferPointer<UInt8>, at position: inout Int) -> ProducedFrame? {
        guard let bytes = UnsafeRawPointer(piece.baseAddress) else { return nil }
        while position < piece.count {
            let rest = piece.count - position
            if toSkip > 0 {
                let skipped = min(toSkip, rest)
                toSkip -= skipped
                advance(skipped, position: &position)
            } else if rest >= FrameHeader.size, partial.isEmpty {
                let frame = read(bytes + position, start: offset)
                advance(FrameHeader.size, position: &position)
                return frame
            } else {
                let wanted = min(FrameHeader.size - partial.count, rest)
                partial.append(contentsOf: UnsafeRawBufferPointer(start: bytes + position, count: wanted))
                advance(wanted, position: &position)
                if partial.count == FrameHeader.size { return readPartial() }
            }
        }
        return nil
    }

    private mutating func advance(_ count: Int, position: inout Int) {
        position += count
        offset += UInt64(count)
    }

    private mutating func readPartial() -> ProducedFrame? {
        let header = partial
        partial.removeAll(keepingCapacity: true)
        return header.withUnsafeBytes { header in
            header.baseAddress.map { read($0, start: offset - UInt64(FrameHeader.size)) }
        }
    }

    private mutating func read(_ bytes: UnsafeRawPointer, start: UInt64) -> ProducedFrame {
        let header = FrameHeader(bytes)
        toSkip = header.length
        return ProducedFrame(
            type: header.type, flags: header.flags, stream: header.stream, start: start,
            end: start + UInt64(FrameHeader.size + header.length))
    }
}

/// The nine bytes before the payload of a frame (RFC 9113, section 4.1).
struct FrameHeader {
    static let size = 9

    var length: Int
    var type: UInt8
    var flags: UInt8
    let stream: StreamID

    init(_ bytes: UnsafeRawPointer) {
        // 24 bits of length, 8 of type, 8 of flags, one reserved, 31 of stream id.
        let lengthAndType = UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
        length = Int(lengthAndType >> 8)
        type = UInt8(truncatingIfNeeded: lengthAndType)
        flags = bytes.load(fromByteOffset: 4, as: UInt8.self)
        stream = StreamID(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 5, as: UInt32.self)) & 0x7fff_ffff)
    }

    var endsBlock: Bool {
        get { flags & ProducedFrame.endHeaders != 0 }
        set {
            flags = newValue ? flags | ProducedFrame.endHeaders : flags & ~ProducedFrame.endHeaders
        }
    }

    func write(to bytes: UnsafeMutableRawPointer) {
        bytes.storeBytes(of: (UInt32(length) << 8 | UInt32(type)).bigEndian, as: UInt32.self)
        bytes.storeBytes(of: flags, toByteOffset: 4, as: UInt8.self)
        bytes.storeBytes(of: UInt32(stream).bigEndian, toByteOffset: 5, as: UInt32.self)
    }
}
