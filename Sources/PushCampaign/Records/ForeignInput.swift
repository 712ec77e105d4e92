import PushTerminal

/// Inputs that are neither CSV nor NDJSON, by their first bytes.
enum ForeignInput {
    /// The longest of the beginnings.
    static let length = 4

    /// What to do about it; nil if the bytes may be text.
    ///
    /// - Parameter name: The input's name.
    static func problem(_ bytes: UnsafeRawBufferPointer, name: String) -> String? {
        let program: String
        switch (bytes.first, bytes.dropFirst().first) {
        case (0x1F, 0x8B): program = "zcat"
        case (0x28, 0xB5): program = "zstdcat"
        case (0x50, 0x4B) where bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]):
            return "\(name) is a zip archive or a spreadsheet; save it as CSV in UTF-8"
        case (0xFF, 0xFE), (0xFE, 0xFF),
            _ where isEverySecondZero(bytes):
            return "\(name) is UTF-16: iconv -f UTF-16 -t UTF-8 \(name) | pushctl bulk - …"
        default: return nil
        }
        return "\(name) is compressed: \(program) \(name) | pushctl bulk - …"
    }

    /// Whether these are two ASCII characters of two bytes each.
    private static func isEverySecondZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= length else { return false }
        let isZero = bytes.prefix(length).map { $0 == 0 }
        return isZero == [true, false, true, false] || isZero == [false, true, false, true]
    }
}
