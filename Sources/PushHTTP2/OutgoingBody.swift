/// A body on its way out, taken by nghttp2 a frame at a time.
struct OutgoingBody {
    private var bytes: [UInt8] = []
    private var sent = 0

    init() {}

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Copies what fits.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPart {
        let count = min(buffer.count, bytes.count - sent)
        bytes.withUnsafeBytes { bytes in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[sent..<sent + count]))
        }
        sent += count
        return BodyPart(count: count, isLast: sent == bytes.count)
    }
}
