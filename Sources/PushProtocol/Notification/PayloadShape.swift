/// What the push type of a payload written elsewhere is inferred from.
enum PayloadShape {
    /// `aps` holds `content-available: 1` and nothing else.
    case backgroundOnly
    /// Anything else.
    case other

    /// Nil unless the bytes are one JSON object.
    init?(of bytes: [UInt8]) {
        let shape = bytes.withUnsafeBufferPointer { buffer -> PayloadShape? in
            var scanner = JSONScanner(buffer)
            return try? Self.scan(&scanner)
        }
        guard let shape else { return nil }
        self = shape
    }

    private static func scan(_ scanner: inout JSONScanner) throws(JSONScanner.Malformed) -> PayloadShape {
        var contentAvailable = false
        var somethingElse = false
        try scanner.object { (scanner, name) throws(JSONScanner.Malformed) in
            guard name == "aps", scanner.peek() == UInt8(ascii: "{") else { return try scanner.skipValue(depth: 1) }
            try scanner.object(depth: 1) { (scanner, key) throws(JSONScanner.Malformed) in
                guard key == "content-available" else {
                    somethingElse = true
                    return try scanner.skipValue(depth: 2)
                }
                contentAvailable = try scanner.value(depth: 2).integerValue == 1
            }
        }
        guard scanner.isAtEnd else { throw JSONScanner.Malformed() }
        return contentAvailable && !somethingElse ? .backgroundOnly : .other
    }
}
