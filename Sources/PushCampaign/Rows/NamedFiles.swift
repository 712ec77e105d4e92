import Glibc
import PushTerminal

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
