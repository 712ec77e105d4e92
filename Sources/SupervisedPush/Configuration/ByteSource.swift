/// Where a key, a certificate or a trust bundle comes from. Read once, on the thread that calls `connect`.
public struct ByteSource: Sendable, CustomStringConvertible, CustomReflectable {
    enum Origin: Sendable {
        case file(String)
        case memory([UInt8])
    }

    let origin: Origin

    /// A file, by its path.
    public static func file(_ path: String) -> Self { Self(origin: .file(path)) }
    /// PEM text in memory, as a secret store hands it out.
    public static func pem(_ text: String) -> Self { Self(origin: .memory(Array(text.utf8))) }
    /// Bytes in memory.
    public static func bytes(_ bytes: [UInt8]) -> Self { Self(origin: .memory(bytes)) }

    /// The path, or the number of bytes; never the content.
    public var description: String {
        switch origin {
        case .file(let path): "file \(path)"
        case .memory(let bytes): "\(bytes.count) bytes in memory"
        }
    }

    /// Hides the content from `dump` and debuggers.
    public var customMirror: Mirror { Mirror(self, children: ["origin": description]) }

    /// The path, if it is a file.
    var path: String? {
        if case .file(let path) = origin { path } else { nil }
    }
}
