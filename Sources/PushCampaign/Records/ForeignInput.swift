import PushTerminal
import SupervisedPush

/// Inputs that are neither CSV nor NDJSON, by their first bytes.
enum ForeignInput {
    /// The longest of the beginnings.
    static let length = TextEncoding.beginning

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
        default:
            return TextEncoding.conversion(bytes, name: name).map { "\(name) is UTF-16: \($0) | pushctl bulk - …" }
        }
        return "\(name) is compressed: \(program) \(name) | pushctl bulk - …"
    }
}
