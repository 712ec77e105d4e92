import Glibc

/// The files that a command reads: none of them may be written.
package struct NamedFiles: Sendable {
    private var paths: [(name: String, path: String)] = []
    private var files: [(name: String, file: FileIdentity)] = []

    package init() {}

    /// - Parameters:
    ///   - name: What it is in a sentence, such as `the file of --key`.
    ///   - path: `-` is standard input.
    package mutating func add(_ name: String, path: String?) {
        if path == "-" { return add(name, FileIdentity(of: STDIN_FILENO)) }
        if let path { paths.append((name, path)) }
    }

    /// Adds a file that is open, if it is a plain one.
    package mutating func add(_ name: String, _ file: FileIdentity?) {
        if let file { files.append((name, file)) }
    }

    /// What a file is here; nil if the command does not read it.
    package func name(of file: FileIdentity) -> String? {
        files.first { $0.file == file }?.name ?? paths.first { FileIdentity(at: $0.path) == file }?.name
    }

    /// Where the shell sends standard output or standard error to a file that is read, records would have no end, or a
    /// key lose its use.
    package func checkStandardStreams() throws(CommandError) {
        for (name, descriptor) in [("standard output", STDOUT_FILENO), ("standard error", STDERR_FILENO)] {
            guard let file = FileIdentity(of: descriptor), let other = self.name(of: file) else { continue }
            throw .usage("\(name) goes to \(other); send it to another file.")
        }
    }
}
