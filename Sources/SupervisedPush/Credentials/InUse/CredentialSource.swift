import Glibc

/// Where a credential comes from, to be read again.
struct CredentialSource: Sendable {
    let credential: Credential
    let trust: TrustRoots
    /// Its files as they were before they were read. nil where reading them once more costs nothing: loaders are not to
    /// be asked for it.
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

/// What tells that a file is another one, or has other content, without reading it.
struct FileVersion: Equatable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Of the file that a path leads to, through symbolic links; nil if there is none.
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
