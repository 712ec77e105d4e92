/// A frame that was produced: its header (RFC 9113 section 4.1) and where it lies.
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
    /// The offset of its first byte in all that was produced.
    var start: UInt64
    /// The offset just past its last byte.
    var end: UInt64

    func has(_ flag: UInt8) -> Bool { flags & flag != 0 }
}

/// Finds the frames in a byte stream that comes in pieces of any size, and counts its bytes.
struct FrameWalker {
    private static let headerSize = 9

    /// Bytes seen so far.
    private(set) var offset: UInt64 = 0
    /// Bytes until the next frame header: the rest of a payload, or of the preface.
    private var toSkip: Int
    /// The beginning of a frame header that a piece ended in.
    private var partial: [UInt8] = []

    /// - Parameter preface: bytes before the first frame, 24 for a client (RFC 9113 section 3.4).
    init(preface: Int) {
        toSkip = preface
    }

    /// Counts bytes that are no frames of the session.
    mutating func skipForeign(_ count: Int) {
        offset += UInt64(count)
    }

    /// Reports each frame whose header is complete with this piece.
    mutating func walk(_ piece: UnsafeBufferPointer<UInt8>, _ visit: (ProducedFrame) -> Void) {
        var rest = piece[...]
        while !rest.isEmpty {
            if toSkip > 0 {
                let skipped = min(toSkip, rest.count)
                toSkip -= skipped
                offset += UInt64(skipped)
                rest = rest.dropFirst(skipped)
            } else if partial.isEmpty, rest.count >= Self.headerSize {
                report(rest, visit)
                offset += UInt64(Self.headerSize)
                rest = rest.dropFirst(Self.headerSize)
            } else {
                let wanted = min(Self.headerSize - partial.count, rest.count)
                partial.append(contentsOf: rest.prefix(wanted))
                offset += UInt64(wanted)
                rest = rest.dropFirst(wanted)
                guard partial.count == Self.headerSize else { return }
                let header = partial
                partial.removeAll(keepingCapacity: true)
                offset -= UInt64(Self.headerSize)
                header.withUnsafeBufferPointer { report($0[...], visit) }
                offset += UInt64(Self.headerSize)
            }
        }
    }

    /// Reads the header that begins at `offset`.
    private mutating func report(_ header: Slice<UnsafeBufferPointer<UInt8>>, _ visit: (ProducedFrame) -> Void) {
        func byte(_ index: Int) -> UInt32 { UInt32(header[header.startIndex + index]) }
        let length = Int(byte(0) << 16 | byte(1) << 8 | byte(2))
        let stream = (byte(5) << 24 | byte(6) << 16 | byte(7) << 8 | byte(8)) & 0x7fff_ffff
        toSkip = length
        visit(
            ProducedFrame(
                type: UInt8(byte(3)), flags: UInt8(byte(4)), stream: StreamID(stream), start: offset,
                end: offset + UInt64(Self.headerSize + length)))
    }
}
