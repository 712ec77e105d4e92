import CPushNghttp2

/// Writes the header blocks of requests in place of nghttp2's.
extension ClientCore {
    /// nghttp2 splits larger blocks at this size, which every peer accepts (RFC 9113, section 6.5.2).
    private static let maxFragment = 16_384

    mutating func write(_ piece: UnsafeBufferPointer<UInt8>, into buffer: inout [UInt8]) {
        guard session.walker.isBetweenFrames, piece.count >= FrameHeader.size, let start = piece.baseAddress else {
            return append(piece, to: &buffer)
        }
        let header = FrameHeader(start)
        guard header.type == ProducedFrame.headers else { return append(piece, to: &buffer) }
        guard let fields = waitingHeads.take(header.stream) else {
            session.breakDown(SessionError(nativeCode: Int(NGHTTP2_ERR_INVALID_STATE.rawValue)))
            return
        }
        writeHead(header, fields: fields, into: &buffer)
        waitingHeads.trim()
    }

    /// - Parameter header: That of the frame which nghttp2 made for a request without fields. Its own block, which is
    ///   empty or changes the size of a table that is not used, is left out.
    private mutating func writeHead(
        _ header: FrameHeader, fields: WaitingHeads.Head, into buffer: inout [UInt8]
    ) {
        let capacity = FrameHeader.size + HeaderEncoder.capacity(fields)
        withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) { memory in
            guard let start = memory.baseAddress else { return }
            let count = encoder.encode(fields, into: start + FrameHeader.size)
            guard count <= Self.maxFragment else {
                return split(
                    UnsafeRawBufferPointer(start: start + FrameHeader.size, count: count), header: header, into: &buffer
                )
            }
            var header = header
            header.length = count
            header.write(to: start)
            append(Self.bytes(from: start, count: FrameHeader.size + count), to: &buffer)
        }
    }

    /// A HEADERS frame and CONTINUATION frames (RFC 9113, section 6.10).
    private mutating func split(_ block: UnsafeRawBufferPointer, header: FrameHeader, into buffer: inout [UInt8]) {
        var (header, rest) = (header, block[...])
        while !rest.isEmpty {
            let fragment = rest.prefix(Self.maxFragment)
            rest = rest.dropFirst(fragment.count)
            header.length = fragment.count
            header.endsBlock = rest.isEmpty
            withUnsafeTemporaryAllocation(byteCount: FrameHeader.size, alignment: 1) { memory in
                guard let start = memory.baseAddress else { return }
                header.write(to: start)
                append(Self.bytes(from: start, count: memory.count), to: &buffer)
            }
            let bytes = UnsafeRawBufferPointer(rebasing: fragment)
            if let start = bytes.baseAddress { append(Self.bytes(from: start, count: bytes.count), to: &buffer) }
            header.type = ProducedFrame.continuation
            header.flags &= ~ProducedFrame.endStream
        }
    }

    private static func bytes(from start: UnsafeRawPointer, count: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
    }
}
