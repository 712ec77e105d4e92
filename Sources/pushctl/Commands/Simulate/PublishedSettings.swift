import Glibc
import PushCampaign
import PushLocking
import PushTerminal

/// The file of `--write-config`: it exists while the simulator listens, and only its owner can read it.
final class PublishedSettings: Sendable {
    /// Longer than any file that it writes.
    private static let longest = 1 << 16

    let path: String
    private let inputs: NamedFiles
    private let written = Locked<FileIdentity?>(nil)

    /// - Parameter inputs: Files that must not be written.
    init(_ path: String, _ inputs: NamedFiles) {
        self.path = path
        self.inputs = inputs
    }

    /// Refuses everything that exists, except a file that an earlier simulator left.
    func check() throws(CommandError) {
        guard let status = FileStatus(at: path) else { return }
        if let file = FileIdentity(at: path), let name = inputs.name(of: file) {
            throw .usage("--write-config names \(name); give another file.")
        }
        // Not opened unless it is a file: a pipe would wait.
        let content = status.kind == .file ? try? InputFile.contents(of: path, limit: Self.longest) : nil
        guard let content, content.isEmpty || content.starts(with: SimulatorSettings.beginning.utf8) else {
            throw .usage("--write-config: \(path) exists, and no simulator has written it; name another file.")
        }
    }

    /// Writes a new file and gives it the name, so that a reader never sees half of it.
    func write(_ line: [UInt8]) throws(CommandError) {
        try check()
        let identity = try ReplacedFile.write(line, to: path)
        written.withLock { $0 = identity }
    }

    /// Removes the file, unless another program has put its own in its place.
    func remove() {
        written.withLock { identity in
            if let identity, FileIdentity(at: path) == identity { unlink(path) }
            identity = nil
        }
    }
}
