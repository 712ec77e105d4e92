import Glibc
import PushTerminal

/// The identity of a regular file, under any name: links to one file are equal. Pipes, terminals and devices have none.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// Nil if the path does not lead to a regular file.
    package init?(at path: String) { self.init(FileStatus(at: path)) }

    /// Nil if it is not an open regular file.
    package init?(of descriptor: Int32) { self.init(FileStatus(of: descriptor)) }

    /// Whether the path leads to a folder.
    package static func isFolder(_ path: String) -> Bool { FileStatus(at: path)?.kind == .folder }

    private init?(_ status: FileStatus?) {
        guard let status, status.kind == .file else { return nil }
        device = status.device
        number = status.number
    }
}

/// A path that means the same file in any folder, and by way of any link to the file's folder.
package enum AbsolutePath {
    package static func of(_ path: String) -> String {
        if let whole = resolved(path) { return whole }
        // It does not exist yet: its folder does.
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.count > 1 ? parts.dropLast().joined(separator: "/") : "."
        guard let name = parts.last, let parent = resolved(folder.isEmpty ? "/" : folder) else { return path }
        return parent == "/" ? "/\(name)" : "\(parent)/\(name)"
    }

    private static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}

/// The files that a command reads, which it must not write.
package struct NamedFiles: Sendable {
    private var paths: [(name: String, path: String)] = []
    private var files: [(name: String, file: FileIdentity)] = []

    package init() {}

    /// - Parameters:
    ///   - name: Its name in a sentence, such as `the file of --key`.
    ///   - path: `-` is standard input.
    package mutating func add(_ name: String, path: String?) {
        if path == "-" { return add(name, FileIdentity(of: STDIN_FILENO)) }
        if let path { paths.append((name, path)) }
    }

    /// Adds an open file, if it is a regular one.
    package mutating func add(_ name: String, _ file: FileIdentity?) {
        if let file { files.append((name, file)) }
    }

    /// The name of a file; nil if the command does not read it.
    package func name(of file: FileIdentity) -> String? {
        files.first { $0.file == file }?.name ?? paths.first { FileIdentity(at: $0.path) == file }?.name
    }

    /// If the shell sends standard output or standard error to a file that is read, records would never end, or a key
    /// would be overwritten.
    package func checkStandardStreams() throws(CommandError) {
        for (name, descriptor) in [("standard output", STDOUT_FILENO), ("standard error", STDERR_FILENO)] {
            guard let file = FileIdentity(of: descriptor), let other = self.name(of: file) else { continue }
            throw .usage("\(name) goes to \(other); send it to another file.")
        }
    }
}
