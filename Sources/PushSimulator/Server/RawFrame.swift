/// HTTP/2 frames written by hand (RFC 9113, section 4.1), which a session would never write.
///
/// Header blocks are literals without indexing (RFC 7541, section 6.2.2), so they do not change the tables of either
/// side.
enum RawFrame {
    static let data: UInt8 = 0x0
    static let headers: UInt8 = 0x1
    static let priority: UInt8 = 0x2
    static let resetStream: UInt8 = 0x3
    static let settings: UInt8 = 0x4
    static let pushPromise: UInt8 = 0x5
    static let ping: UInt8 = 0x6
    static let goAway: UInt8 = 0x7
    static let windowUpdate: UInt8 = 0x8
    static let continuation: UInt8 = 0x9

    static let endStream: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4

    /// A number in `count` bytes, big endian.
    static func number(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (UInt64($0) * 8)) }
    }

    static func frame(_ type: UInt8, flags: UInt8 = 0, stream: Int32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        number(UInt64(payload.count), 3) + [type, flags] + number(UInt64(stream), 4) + payload
    }

    static func headers(_ stream: Int32, _ fields: [(String, String)], endsStream: Bool) -> [UInt8] {
        frame(headers, flags: endHeaders | (endsStream ? endStream : 0), stream: stream, block(fields))
    }

    /// A header block of short names and values.
    static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { [0x00] + text($0) + text($1) }
    }

    /// A string as plain octets. Its length fits into the seven bits of the first byte (RFC 7541, section 5.2).
    private static func text(_ value: String) -> [UInt8] {
        let octets = Array(value.utf8.prefix(126))
        return [UInt8(octets.count)] + octets
    }

    static func promise(on stream: Int32, _ promised: Int32) -> [UInt8] {
        let request = [(":method", "GET"), (":scheme", "https"), (":authority", "localhost"), (":path", "/")]
        return frame(
            pushPromise, flags: endHeaders, stream: stream, number(UInt64(promised), 4) + block(request))
    }
}
