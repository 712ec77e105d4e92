import Glibc

/// The source of a credential, so that it can be read again.
struct CredentialSource: Sendable {
    let credential: Credential
    let trust: TrustRoots
    /// The versions of its files before they were read. Nil if another read costs nothing, because loaders are not
    /// called for it.
    private(set) var filesRead: [FileVersion?]?

    init(credential: Credential, trust: TrustRoots) {
        self.credential = credential
        self.trust = trust
        if credential.hasLoader || paths.isEmpty { filesRead = files }
    }

    /// The files it is read from.
    var paths: [String] {
        (credential.sources + [trust.bundle].compactMap(\.self) + trust.additional).compactMap(\.path)
    }

    var files: [FileVersion?] { paths.map { FileVersion($0) } }
}

/// Detects that a file was replaced or has other content, without reading it.
struct FileVersion: Equatable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// The version of the file at a path, following symbolic links; nil if there is none.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int64(status.st_size)
        seconds = Int(status.st_mtim.tv_sec)
        nanoseconds = Int(status.st_mtim.tv_nsec)
    }
}
