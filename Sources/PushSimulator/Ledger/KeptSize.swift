/// How much memory the values of a record take beside the record itself, in bytes.
enum KeptSize {
    /// What precedes the content of a text or a list on the heap.
    private static let header = 32
    /// A text up to this length stands in the record.
    private static let longestInline = 15

    static func of(_ texts: [String?]) -> Int {
        texts.reduce(0) { sum, text in
            guard let count = text?.utf8.count, count > longestInline else { return sum }
            return sum + header + count
        }
    }

    static func of(_ bytes: [UInt8]) -> Int { bytes.isEmpty ? 0 : header + bytes.count }
}
