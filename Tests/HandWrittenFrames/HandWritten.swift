/// Frames and header blocks written by hand, from RFC 9113 section 4 and RFC 7541 section 6 alone.
package enum HandWritten {
    package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    package static let endStream: UInt8 = 0x1
    package static let endHeaders: UInt8 = 0x4

    package enum Kind: UInt8 {
        case data, headers, priority, rstStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    package static func number(_ value: Int, bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    package static func frame(_ kind: Kind, flags: UInt8 = 0, stream: Int = 0, _ payload: [UInt8] = []) -> [UInt8] {
        number(payload.count, bytes: 3) + [kind.rawValue, flags] + number(stream, bytes: 4) + payload
    }

    /// A frame of a type that RFC 9113 does not know.
    package static func frame(type: UInt8, flags: UInt8 = 0, stream: Int = 0, _ payload: [UInt8] = []) -> [UInt8] {
        number(payload.count, bytes: 3) + [type, flags] + number(stream, bytes: 4) + payload
    }

    package static func settings(_ entries: [(id: Int, value: Int)] = []) -> [UInt8] {
        frame(.settings, entries.flatMap { number($0.id, bytes: 2) + number($0.value, bytes: 4) })
    }

    package static let settingsAcknowledgement = frame(.settings, flags: 0x1)

    /// Literal fields without indexing, names and values as plain octets.
    package static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { [0x00] + text($0.0) + text($0.1) }
    }

    /// A literal field that the receiver puts into its table (RFC 7541 section 6.2.1).
    package static func indexed(_ name: String, _ value: String) -> [UInt8] { [0x40] + text(name) + text(value) }

    /// The field that was put into the table last.
    package static let latestField: UInt8 = 0x80 | 62

    private static func text(_ value: String) -> [UInt8] {
        let octets = Array(value.utf8)
        guard octets.count >= 127 else { return [UInt8(octets.count)] + octets }
        var rest = octets.count - 127
        var prefix: [UInt8] = [127]
        while rest >= 128 {
            prefix.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return prefix + [UInt8(rest)] + octets
    }

    package static func headers(_ stream: Int, _ fields: [(String, String)], end: Bool) -> [UInt8] {
        frame(.headers, flags: endHeaders | (end ? endStream : 0), stream: stream, block(fields))
    }

    /// The block cut into a HEADERS frame and continuations of at most 16,384 bytes.
    package static func longHeaders(_ stream: Int, _ fields: [(String, String)], end: Bool) -> [UInt8] {
        let block = block(fields)
        let parts = stride(from: 0, to: block.count, by: 16_384).map {
            Array(block[$0..<min($0 + 16_384, block.count)])
        }
        return parts.enumerated().flatMap { index, part in
            let last: UInt8 = index == parts.count - 1 ? endHeaders : 0
            return index == 0
                ? frame(.headers, flags: last | (end ? endStream : 0), stream: stream, part)
                : frame(.continuation, flags: last, stream: stream, part)
        }
    }

    package static func data(_ stream: Int, _ bytes: [UInt8], end: Bool) -> [UInt8] {
        frame(.data, flags: end ? endStream : 0, stream: stream, bytes)
    }

    package static func reset(_ stream: Int, _ code: Int) -> [UInt8] {
        frame(.rstStream, stream: stream, number(code, bytes: 4))
    }

    package static func goAway(last: Int, _ code: Int, _ debug: String = "") -> [UInt8] {
        goAway(last: last, code, data: Array(debug.utf8))
    }

    package static func goAway(last: Int, _ code: Int, data: [UInt8]) -> [UInt8] {
        frame(.goAway, number(last, bytes: 4) + number(code, bytes: 4) + data)
    }

    package static func windowUpdate(_ stream: Int, _ increment: Int) -> [UInt8] {
        frame(.windowUpdate, stream: stream, number(increment, bytes: 4))
    }

    /// A frame found in produced bytes.
    package struct Found: Equatable {
        package var kind: UInt8
        package var flags: UInt8
        package var stream: Int
        package var start: Int
        package var end: Int
        package var payload: [UInt8]

        package func isKind(_ other: Kind) -> Bool { kind == other.rawValue }
    }

    /// The frames in `bytes`, which must end at the end of one.
    package static func frames(in bytes: [UInt8], after preface: Int = 0) -> [Found] {
        var found: [Found] = []
        var position = preface
        while position + 9 <= bytes.count {
            func value(_ offset: Int, _ count: Int) -> Int {
                bytes[position + offset..<position + offset + count].reduce(0) { $0 << 8 | Int($1) }
            }
            let end = position + 9 + value(0, 3)
            guard end <= bytes.count else { break }
            found.append(
                Found(
                    kind: bytes[position + 3], flags: bytes[position + 4], stream: value(5, 4) & 0x7fff_ffff,
                    start: position, end: end, payload: Array(bytes[position + 9..<end])))
            position = end
        }
        return found
    }
}
