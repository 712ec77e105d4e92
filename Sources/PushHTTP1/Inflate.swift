/// Unpacks one stream of DEFLATE (RFC 1951).
struct Inflate {
    private let input: ArraySlice<UInt8>
    private var position: Int
    private var bits: UInt32 = 0
    private var bitCount = 0
    private let limit: Int
    /// What was unpacked, behind what was there.
    private var output: [UInt8]
    /// Where the output of this stream begins: no copy reaches before it.
    private let beginning: Int

    init(_ input: ArraySlice<UInt8>, into output: [UInt8], limit: Int) {
        self.input = input
        self.output = output
        self.limit = limit
        position = input.startIndex
        beginning = output.count
    }

    /// What follows the stream, from the next whole byte.
    var rest: ArraySlice<UInt8> { input[position...] }

    /// Gives the output away.
    mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    mutating func run() throws(Gzip.Problem) {
        var isLast = false
        while !isLast {
            isLast = try take(1) == 1
            switch try take(2) {
            case 0: try copyStored()
            case 1: try unpack(lengths: HuffmanCode.fixedLengths, distances: HuffmanCode.fixedDistances)
            case 2:
                let (lengths, distances) = try codes()
                try unpack(lengths: lengths, distances: distances)
            default: throw .malformed
            }
        }
        // At most seven bits are left of the last byte.
        (bits, bitCount) = (0, 0)
    }

    // MARK: Bits

    /// Takes up to 16 bits, the lowest first.
    private mutating func take(_ count: Int) throws(Gzip.Problem) -> Int {
        while bitCount < count {
            guard position < input.endIndex else { throw .malformed }
            bits |= UInt32(input[position]) << UInt32(bitCount)
            position += 1
            bitCount += 8
        }
        defer {
            bits >>= UInt32(count)
            bitCount -= count
        }
        return Int(bits & (1 << UInt32(count) - 1))
    }

    private mutating func symbol(_ code: HuffmanCode) throws(Gzip.Problem) -> Int {
        var (word, first, index) = (0, 0, 0)
        for length in 1...HuffmanCode.longest {
            word |= try take(1)
            let count = code.counts[length]
            if word - first < count { return code.symbols[index + word - first] }
            index += count
            first = (first + count) << 1
            word <<= 1
        }
        throw .malformed
    }

    // MARK: Blocks

    private mutating func append(_ byte: UInt8) throws(Gzip.Problem) {
        guard output.count < limit else { throw .tooLong }
        output.append(byte)
    }

    private mutating func copyStored() throws(Gzip.Problem) {
        (bits, bitCount) = (0, 0)
        let (length, check) = (try take(16), try take(16))
        guard length == ~check & 0xFFFF, length <= input.endIndex - position else { throw .malformed }
        guard length <= limit - output.count else { throw .tooLong }
        output += input[position..<(position + length)]
        position += length
    }

    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
        6145,
        8193, 12289, 16385, 24577,
    ]
    private static let distanceBits = [
        0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
    ]

    private mutating func unpack(lengths: HuffmanCode, distances: HuffmanCode) throws(Gzip.Problem) {
        while true {
            let symbol = try symbol(lengths)
            if symbol == 256 { return }
            guard symbol > 256 else {
                try append(UInt8(symbol))
                continue
            }
            guard symbol - 257 < Self.lengthBases.count else { throw .malformed }
            let length = Self.lengthBases[symbol - 257] + (try take(Self.lengthBits[symbol - 257]))
            let index = try self.symbol(distances)
            guard index < Self.distanceBases.count else { throw .malformed }
            let distance = Self.distanceBases[index] + (try take(Self.distanceBits[index]))
            guard distance <= output.count - beginning else { throw .malformed }
            for _ in 0..<length { try append(output[output.count - distance]) }
        }
    }

    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    /// The codes of a block that brings its own (RFC 1951, section 3.2.7).
    private mutating func codes() throws(Gzip.Problem) -> (HuffmanCode, HuffmanCode) {
        let (lengthCount, distanceCount) = (try take(5) + 257, try take(5) + 1)
        let orderCount = try take(4) + 4
        var widths = [Int](repeating: 0, count: 19)
        for index in 0..<orderCount { widths[Self.order[index]] = try take(3) }
        let code = try HuffmanCode(widths)
        var all: [Int] = []
        while all.count < lengthCount + distanceCount {
            let symbol = try symbol(code)
            switch symbol {
            case 0...15: all.append(symbol)
            case 16:
                guard let last = all.last else { throw .malformed }
                all += [Int](repeating: last, count: 3 + (try take(2)))
            case 17: all += [Int](repeating: 0, count: 3 + (try take(3)))
            default: all += [Int](repeating: 0, count: 11 + (try take(7)))
            }
        }
        // Without a code for the end, a block has none.
        guard all.count == lengthCount + distanceCount, all[256] > 0 else { throw .malformed }
        return (try HuffmanCode(Array(all[..<lengthCount])), try HuffmanCode(Array(all[lengthCount...])))
    }
}

/// A canonical code (RFC 1951, section 3.2.2): how many words of each length, and the symbols in their order.
struct HuffmanCode {
    static let longest = 15

    let counts: [Int]
    let symbols: [Int]

    /// - Parameter widths: The length of each symbol's word; 0 for a symbol that does not occur.
    /// - Throws: `malformed` if there are more words than fit.
    init(_ widths: [Int]) throws(Gzip.Problem) {
        self.init(unchecked: widths)
        var left = 1
        for length in 1...Self.longest {
            left = left << 1 - counts[length]
            guard left >= 0 else { throw .malformed }
        }
    }

    private init(unchecked widths: [Int]) {
        var counts = [Int](repeating: 0, count: Self.longest + 1)
        for width in widths where width > 0 { counts[width] += 1 }
        self.counts = counts
        symbols = (1...Self.longest).flatMap { length in widths.indices.filter { widths[$0] == length } }
    }

    /// RFC 1951, section 3.2.6.
    static let fixedLengths = HuffmanCode(
        unchecked: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    static let fixedDistances = HuffmanCode(unchecked: [Int](repeating: 5, count: 30))
}
