/// A frame as it came over the wire (RFC 9113, section 4.1).
struct WireFrame: Equatable, Sendable {
    static let data: UInt8 = 0
    static let headers: UInt8 = 1
    static let resetStream: UInt8 = 3
    static let pushPromise: UInt8 = 5
    static let windowUpdate: UInt8 = 8
    static let continuation: UInt8 = 9

    let type: UInt8
    let flags: UInt8
    let stream: Int32
    let payload: [UInt8]

    var endsStream: Bool { flags & 1 != 0 }
    var endsHeaders: Bool { flags & 4 != 0 }

    /// The frames in `bytes`, up to the last whole one.
    static func frames(in bytes: [UInt8]) -> [WireFrame] {
        var found: [WireFrame] = []
        var position = 0
        while position + 9 <= bytes.count {
            func value(_ offset: Int, _ count: Int) -> Int {
                bytes[(position + offset)..<(position + offset + count)].reduce(0) { $0 << 8 | Int($1) }
            }
            let end = position + 9 + value(0, 3)
            guard end <= bytes.count else { break }
            found.append(
                WireFrame(
                    type: bytes[position + 3], flags: bytes[position + 4],
                    stream: Int32(truncatingIfNeeded: value(5, 4) & 0x7FFF_FFFF),
                    payload: Array(bytes[(position + 9)..<end])))
            position = end
        }
        return found
    }
}
