import Glibc

/// What the system says of a file.
///
/// The system's own structure is read here alone: in a module that imports Swift NIO, the compiler looks for its members
/// in another module than Glibc.
package struct FileStatus: Sendable {
    package enum Kind: Sendable {
        case file, folder, socket, other
    }

    package let kind: Kind
    /// In bytes; meaningful for a file.
    package let size: UInt64
    package let device: UInt64
    /// Its number on the device.
    package let number: UInt64

    /// Nil if the path leads nowhere; then `errno` says why.
    package init?(at path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Nil if the descriptor is not open; then `errno` says why.
    package init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .file
        case S_IFDIR: kind = .folder
        case S_IFSOCK: kind = .socket
        default: kind = .other
        }
        size = UInt64(max(0, status.st_size))
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
