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
