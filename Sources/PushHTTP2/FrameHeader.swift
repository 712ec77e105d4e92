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
