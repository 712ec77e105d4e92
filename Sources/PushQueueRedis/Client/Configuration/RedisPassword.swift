import FoundationEssentials
import PushQueue
import SupervisedPush

/// A password that no description, log or dump shows.
public struct RedisPassword: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private enum Source: Hashable {
        case text(String)
        case file(String)
    }

    /// No password file is larger.
    private static let sizeLimit = 64 << 10

    private let source: Source

    private init(_ source: Source) { self.source = source }

    /// A password in memory.
    public static func text(_ text: String) -> RedisPassword { RedisPassword(.text(text)) }

    /// A file whose first line is the password. It is read for each connection, so a new password needs no restart.
    public static func file(_ path: String) -> RedisPassword { RedisPassword(.file(path)) }

    /// Dots.
    public var description: String { "•••" }
    /// Dots.
    public var debugDescription: String { description }
    /// Empty.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// The path of a file that each user of the machine may read or change; nil otherwise.
    package var openFile: String? {
        guard case .file(let path) = source, ByteSource.file(path).isOpenToAll else { return nil }
        return path
    }

    /// The password as it is now.
    func load() throws(RedisFailure) -> [UInt8] {
        let path: String
        switch source {
        case .text(let text): return Array(text.utf8)
        case .file(let file): path = file
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw RedisFailure(
                .refused,
                "The password file \(path) cannot be read. Check that it is a file, and that this user may read it.")
        }
        guard data.count <= Self.sizeLimit else {
            throw RedisFailure(
                .refused, "The password file \(path) has more than 64 KiB. Give a file with the password.")
        }
        let text: [UInt8]
        do throws(TextEncoding.Foreign) { text = try TextEncoding.text(Array(data), name: path) } catch {
            throw RedisFailure(.refused, "The password file \(path) \(error.sentence).")
        }
        var bytes = Array(text.prefix { $0 != UInt8(ascii: "\n") })
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else {
            throw RedisFailure(.refused, "The password file \(path) has an empty first line. Put the password into it.")
        }
        return bytes
    }
}
