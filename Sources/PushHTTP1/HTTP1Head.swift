/// The head of a message while it arrives, line by line.
struct HTTP1Head {
    /// How a body ends (RFC 9112, section 6.3).
    enum BodyEnd: Equatable {
        case none
        case length(Int)
        case chunks
        /// With the connection.
        case stream
    }

    private(set) var start: HTTP1Message.Start?
    private(set) var fields: [HTTP1Message.Field] = []
    private let reads: HTTP1Reader.Kind
    private let mostFields: Int

    init(_ reads: HTTP1Reader.Kind, mostFields: Int) {
        self.reads = reads
        self.mostFields = mostFields
    }

    /// Takes a line without its end.
    ///
    /// - Returns: Whether it was the empty line that ends the head.
    mutating func take(_ line: [UInt8]) throws(HTTP1Problem) -> Bool {
        guard start != nil else {
            // A server skips empty lines before a request (RFC 9112, section 2.2).
            if line.isEmpty, reads == .requests { return false }
            start = try Self.start(line, reads)
            return false
        }
        if line.isEmpty { return true }
        guard fields.count < mostFields else { throw .headTooLong }
        fields.append(try Self.field(line))
        return false
    }

    private static func start(_ line: [UInt8], _ reads: HTTP1Reader.Kind) throws(HTTP1Problem) -> HTTP1Message.Start {
        guard line.allSatisfy({ (0x20...0x7E).contains($0) || $0 >= 0x80 }) else { throw .notHTTP }
        let words = String(decoding: line, as: UTF8.self).split(
            separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        switch reads {
        case .responses:
            guard words.count >= 2, words[0] == "HTTP/1.1" || words[0] == "HTTP/1.0", words[1].utf8.count == 3,
                let status = Int(words[1]), (100...599).contains(status)
            else { throw .notHTTP }
            return .response(status: status)
        case .requests:
            guard words.count == 3, words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0", words[1].hasPrefix("/"),
                !words[0].isEmpty
            else { throw .notHTTP }
            return .request(method: String(words[0]), target: String(words[1]))
        }
    }

    private static func field(_ line: [UInt8]) throws(HTTP1Problem) -> HTTP1Message.Field {
        // A folded value (RFC 9112, section 5.2) is refused: its name begins with a space.
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            line[..<colon].allSatisfy({ (0x21...0x7E).contains($0) }),
            let value = String(validating: line[(colon + 1)...], as: UTF8.self)
        else { throw .malformedField }
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        let rest = value.drop(while: isBlank)
        let end = rest.lastIndex { !isBlank($0) }
        return HTTP1Message.Field(
            String(decoding: line[..<colon], as: UTF8.self), end.map { String(rest[...$0]) } ?? "")
    }

    /// How the body ends that follows this head.
    func bodyEnd() throws(HTTP1Problem) -> BodyEnd {
        if case .response(let status) = start, status == 204 || status == 304 { return .none }
        let codings = fields.filter { $0.name == "transfer-encoding" }.map { $0.value.lowercased() }
        let lengths = fields.filter { $0.name == "content-length" }.map(\.value)
        if !codings.isEmpty {
            guard codings == ["chunked"], lengths.isEmpty else { throw .malformedLength }
            return .chunks
        }
        guard let text = lengths.first else { return reads == .requests ? .none : .stream }
        let isNumber = (1...15).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard lengths.allSatisfy({ $0 == text }), isNumber, let length = Int(text) else { throw .malformedLength }
        return length == 0 ? .none : .length(length)
    }
}
