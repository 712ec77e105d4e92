/// Answers HTTP/2 frames by their first nine bytes: 200 and an apns-id for each stream that ends (RFC 9113, section 4).
///
/// Its answers are of the same form for every client: `:status: 200` from the static table, and the apns-id as a
/// literal. Use it for a benchmark only: header blocks are skipped, so it trusts the client.
struct FastResponder {
    private enum FrameType {
        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let settings: UInt8 = 4
        static let ping: UInt8 = 6
        static let windowUpdate: UInt8 = 8
    }

    private static let headerSize = 9
    private static let prefaceSize = 24
    private static let largestFrame = 16_384
    private static let endStream: UInt8 = 1
    private static let acknowledgement: UInt8 = 1
    /// The connection's window when nobody has enlarged it (RFC 9113, section 6.9.2).
    static let leastWindow: UInt32 = 65_535

    /// HEADERS with END_STREAM and END_HEADERS. Bytes 5 to 8 are the stream, the last twelve the number of the answer.
    private static let answer: [UInt8] =
        frame(FrameType.headers, flags: 5, payload: [0x88, 0x00, 7] + Array("apns-id".utf8) + [36] + apnsID)
    private static let apnsID = Array("00000000-0000-4000-8000-000000000000".utf8)

    /// How many bytes the client may send before it has to wait for the connection's window.
    private let window: UInt32
    private var output: [UInt8] = []
    /// The start of a frame whose end has not arrived.
    private var rest: [UInt8] = []
    private var preface = Self.prefaceSize
    private var unacknowledged: UInt32 = 0
    private var answers = 0

    init(window: UInt32) { self.window = max(Self.leastWindow, window) }

    /// SETTINGS with 1,000 concurrent streams, as APNs allows, and the window.
    mutating func greet() {
        output += Self.frame(FrameType.settings, payload: [0, 3] + Self.bytes(1_000))
        if window > Self.leastWindow { openWindow(by: window - Self.leastWindow) }
    }

    /// Passes on what was written since the last call.
    mutating func takeOutput(_ write: (UnsafeRawBufferPointer) -> Void) {
        guard !output.isEmpty else { return }
        output.withUnsafeBytes(write)
        output.removeAll(keepingCapacity: true)
    }

    /// False if a frame is too long.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if rest.isEmpty { return readFrames(bytes) }
        rest += bytes
        let all = rest
        rest = []
        return all.withUnsafeBytes { readFrames($0) }
    }

    private mutating func readFrames(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var position = min(preface, bytes.count)
        preface -= position
        while bytes.count - position >= Self.headerSize {
            let length = Int(bytes[position]) << 16 | Int(bytes[position + 1]) << 8 | Int(bytes[position + 2])
            guard length <= Self.largestFrame else { return false }
            let end = position + Self.headerSize + length
            guard end <= bytes.count else { break }
            let frame = UnsafeRawBufferPointer(rebasing: bytes[position..<end])
            handle(frame[3], flags: frame[4], frame)
            position = end
        }
        rest += bytes[position...]
        return true
    }

    private mutating func handle(_ type: UInt8, flags: UInt8, _ frame: UnsafeRawBufferPointer) {
        switch type {
        case FrameType.data:
            unacknowledged += UInt32(frame.count - Self.headerSize)
            // Often enough that the window is the limit, and not when it is opened.
            if unacknowledged >= window / 16 {
                openWindow(by: unacknowledged)
                unacknowledged = 0
            }
            if flags & Self.endStream != 0 { answerStream(of: frame) }
        case FrameType.headers:
            if flags & Self.endStream != 0 { answerStream(of: frame) }
        case FrameType.settings where flags & Self.acknowledgement == 0:
            output += Self.frame(FrameType.settings, flags: Self.acknowledgement)
        case FrameType.ping where flags & Self.acknowledgement == 0:
            output += Self.frame(
                FrameType.ping, flags: Self.acknowledgement, payload: Array(frame[Self.headerSize...]))
        default: break
        }
    }

    private mutating func answerStream(of frame: UnsafeRawBufferPointer) {
        answers += 1
        let start = output.count
        output.append(contentsOf: Self.answer)
        output.withUnsafeMutableBytes { output in
            let answer = UnsafeMutableRawBufferPointer(rebasing: output[start...])
            for index in 5..<9 { answer[index] = frame[index] }
            var number = answers
            var index = answer.count - 1
            while number > 0 {
                let digit = UInt8(number & 15)
                answer[index] = digit < 10 ? 0x30 + digit : 0x37 + digit
                number >>= 4
                index -= 1
            }
        }
    }

    private mutating func openWindow(by size: UInt32) {
        output += Self.frame(FrameType.windowUpdate, payload: Self.bytes(size))
    }

    /// A frame of stream 0.
    private static func frame(_ type: UInt8, flags: UInt8 = 0, payload: [UInt8] = []) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 255), type, flags, 0, 0, 0, 0] + payload
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
