extension RedisCommand {
    /// How many bytes the command has on the wire.
    var wireSize: Int {
        words.reduce(1 + Self.digits(words.count) + 2) { $0 + 1 + Self.digits($1.count) + 2 + $1.count + 2 }
    }

    /// Appends the command as the server reads it: a list of strings (RESP2).
    func append(to bytes: inout [UInt8]) {
        Self.append(UInt8(ascii: "*"), count: words.count, to: &bytes)
        for word in words {
            Self.append(UInt8(ascii: "$"), count: word.count, to: &bytes)
            bytes.append(contentsOf: word)
            bytes.append(UInt8(ascii: "\r"))
            bytes.append(UInt8(ascii: "\n"))
        }
    }

    /// The bytes of commands that are sent in one flush.
    static func wireBytes(of commands: [RedisCommand]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(commands.reduce(0) { $0 + $1.wireSize })
        for command in commands { command.append(to: &bytes) }
        return bytes
    }

    private static func append(_ mark: UInt8, count: Int, to bytes: inout [UInt8]) {
        bytes.append(mark)
        bytes.append(decimal: count)
        bytes.append(UInt8(ascii: "\r"))
        bytes.append(UInt8(ascii: "\n"))
    }

    private static func digits(_ count: Int) -> Int {
        var (digits, rest) = (1, count / 10)
        while rest > 0 { (digits, rest) = (digits + 1, rest / 10) }
        return digits
    }
}
