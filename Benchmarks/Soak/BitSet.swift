/// Numbers from 0, a bit each.
struct BitSet {
    private var words: [UInt64] = []
    private(set) var count = 0

    subscript(number: Int) -> Bool {
        let word = number >> 6
        return word < words.count && words[word] & (1 << UInt64(number & 63)) != 0
    }

    /// False if it was there already.
    mutating func insert(_ number: Int) -> Bool {
        let word = number >> 6
        while words.count <= word { words.append(0) }
        let bit: UInt64 = 1 << UInt64(number & 63)
        guard words[word] & bit == 0 else { return false }
        words[word] |= bit
        count += 1
        return true
    }

    /// The words, for a file.
    var bytes: [UInt8] { words.withUnsafeBytes { Array($0) } }

    init() {}

    init(bytes: some Collection<UInt8>) {
        var word: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            word |= UInt64(byte) << UInt64(8 * (index & 7))
            if index & 7 == 7 {
                words.append(word)
                count += word.nonzeroBitCount
                word = 0
            }
        }
    }
}
