/// Unpacks a file of gzip (RFC 1952), which a server may send though it was not asked to: a stored file can be packed.
package enum Gzip {
    package enum Problem: Error, Sendable, Equatable {
        /// It is not gzip, or damaged.
        case malformed
        /// What is packed is longer than allowed.
        case tooLong
    }

    /// The content of the file. Members that follow the first one are unpacked, too.
    ///
    /// - Parameter limit: The most bytes of content.
    package static func unpacked(_ bytes: [UInt8], limit: Int) throws(Problem) -> [UInt8] {
        var output: [UInt8] = []
        var rest = bytes[...]
        repeat {
            rest = rest.dropFirst(try headerLength(rest))
            let beginning = output.count
            var inflate = Inflate(rest, into: output, limit: limit)
            // Held once, so that many small members cost no copy each.
            output = []
            try inflate.run()
            output = inflate.takeOutput()
            rest = inflate.rest
            guard rest.count >= 8 else { throw .malformed }
            let (sum, length) = (number(rest.prefix(4)), number(rest.dropFirst(4).prefix(4)))
            guard length == UInt32(truncatingIfNeeded: output.count - beginning),
                sum == CRC32.sum(of: output[beginning...])
            else { throw .malformed }
            rest = rest.dropFirst(8)
        } while !rest.isEmpty
        return output
    }

    /// RFC 1952, section 2.3.
    private static func headerLength(_ bytes: ArraySlice<UInt8>) throws(Problem) -> Int {
        let start = bytes.startIndex
        guard bytes.count >= 18, bytes[start] == 0x1F, bytes[start + 1] == 0x8B, bytes[start + 2] == 8 else {
            throw .malformed
        }
        let flags = bytes[start + 3]
        guard flags & 0xE0 == 0 else { throw .malformed }
        var length = 10
        if flags & 4 != 0 { length += 2 + Int(bytes[start + 10]) + Int(bytes[start + 11]) << 8 }
        // The name and the comment, each to its zero.
        for flag: UInt8 in [8, 16] where flags & flag != 0 {
            guard let zero = bytes.dropFirst(length).firstIndex(of: 0) else { throw .malformed }
            length = zero - start + 1
        }
        if flags & 2 != 0 { length += 2 }
        guard length < bytes.count else { throw .malformed }
        return length
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// The checksum of gzip (RFC 1952, section 8).
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
    }

    static func sum(of bytes: ArraySlice<UInt8>) -> UInt32 {
        let table = table
        return ~bytes.reduce(~UInt32(0)) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
    }
}
