/// Reads one message of HTTP/1.1: bytes in, a message out. It has no socket and no clock.
///
/// It keeps one message. What follows it is not read: each connection here carries one exchange.
package struct HTTP1Reader {
    package enum Kind: Sendable, Equatable {
        case requests
        case responses
    }

    /// How large a message may be.
    package struct Limits: Sendable {
        package var headBytes = 32 << 10
        package var fields = 128
        package var bodyBytes: Int

        package init(bodyBytes: Int) { self.bodyBytes = bodyBytes }
    }

    private enum Phase {
        case head
        /// This many bytes of the body are to come.
        case body(left: Int)
        case chunkSize
        case chunk(left: Int)
        /// The line end behind a chunk.
        case chunkEnd
        case trailer
        case untilEnd
        case over
    }

    private let kind: Kind
    private let limits: Limits
    private var phase = Phase.head
    private var head: HTTP1Head
    /// The line that is being read: of the head, or between chunks.
    private var line: [UInt8] = []
    /// Bytes of lines so far.
    private var lineBytes = 0
    private var body: [UInt8] = []
    /// The message; nil until it is complete.
    package private(set) var message: HTTP1Message?

    package init(_ kind: Kind, limits: Limits) {
        self.kind = kind
        self.limits = limits
        head = HTTP1Head(kind, mostFields: limits.fields)
    }

    /// Takes bytes, split anywhere.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP1Problem) {
        var rest = bytes
        while !rest.isEmpty {
            switch phase {
            case .over: return
            case .body(let left):
                let count = try take(rest, most: left)
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                phase = .body(left: left - count)
                if left == count { finish() }
            case .chunk(let left):
                let count = try take(rest, most: left)
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                phase = left == count ? .chunkEnd : .chunk(left: left - count)
            case .untilEnd:
                _ = try take(rest, most: rest.count)
                return
            case .head, .chunkSize, .chunkEnd, .trailer:
                let byte = rest[0]
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(1))
                try takeOfLine(byte)
            }
        }
    }

    /// The stream has ended in order.
    ///
    /// - Throws: `incomplete`, unless the message is complete or this end completes it.
    package mutating func end() throws(HTTP1Problem) {
        switch phase {
        case .untilEnd: finish()
        case .over: break
        default: throw .incomplete
        }
    }

    // MARK: The parts

    private mutating func take(_ bytes: UnsafeRawBufferPointer, most: Int) throws(HTTP1Problem) -> Int {
        let count = min(bytes.count, most)
        guard count <= limits.bodyBytes - body.count else { throw .bodyTooLong }
        body.append(contentsOf: bytes.prefix(count))
        return count
    }

    private mutating func takeOfLine(_ byte: UInt8) throws(HTTP1Problem) {
        lineBytes += 1
        guard lineBytes <= limits.headBytes else { throw .headTooLong }
        guard byte == UInt8(ascii: "\n") else { return line.append(byte) }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        defer { line.removeAll(keepingCapacity: true) }
        switch phase {
        case .head: if try head.take(line) { try endHead() }
        case .chunkSize: try beginChunk()
        case .chunkEnd:
            guard line.isEmpty else { throw .malformedLength }
            phase = .chunkSize
            // The lines between chunks are bounded by the body, of which each has a byte.
            lineBytes = 0
        // Trailers mean nothing here.
        case .trailer: if line.isEmpty { finish() }
        default: break
        }
    }

    private mutating func endHead() throws(HTTP1Problem) {
        // An interim answer: the final one follows (RFC 9110, section 15.2).
        if case .response(let status) = head.start, (100..<200).contains(status) {
            guard status != 101 else { throw .notHTTP }
            head = HTTP1Head(kind, mostFields: limits.fields)
            return
        }
        switch try head.bodyEnd() {
        case .none: finish()
        case .length(let length):
            guard length <= limits.bodyBytes else { throw .bodyTooLong }
            phase = .body(left: length)
        case .chunks:
            lineBytes = 0
            phase = .chunkSize
        case .stream: phase = .untilEnd
        }
    }

    private mutating func beginChunk() throws(HTTP1Problem) {
        // What follows a semicolon is an extension (RFC 9112, section 7.1.1).
        let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        guard (1...8).contains(digits.count), digits.allSatisfy({ Self.isHexDigit($0) }),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw .malformedLength }
        guard size <= limits.bodyBytes - body.count else { throw .bodyTooLong }
        phase = size == 0 ? .trailer : .chunk(left: size)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }

    private mutating func finish() {
        phase = .over
        guard let start = head.start else { return }
        message = HTTP1Message(start, fields: head.fields, body: body)
        body = []
    }
}
