import Glibc
import PushQueue

/// What this process may do with a queue file.
enum FileAccess {
    /// Read and write it.
    case write
    /// Read it beside the processes that have it open.
    case read
    /// Read it while no process has it open: the files beside it are missing, and none may be made.
    case readAlone

    /// Finds out what is possible. Nothing is changed.
    ///
    /// - Throws: `refused` if the path leads to something that is not a file, or cannot be read.
    init(_ path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { throw QueueFailure.cannotOpen(path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw QueueFailure.isNoRegularFile(path, isFolder: status.st_mode & S_IFMT == S_IFDIR)
        }
        let log = path + "-wal"
        let hasLog = access(log, F_OK) == 0
        // Without the files beside it, SQLite makes them. Made by one who may not write the file, they would be in the
        // way of those who may.
        let isWritable = Self.allows(path, rights: W_OK) && (hasLog || Self.allows(Self.folder(of: path), rights: W_OK))
        self = isWritable ? .write : hasLog ? .read : .readAlone
    }

    /// The file whose rights are in the way, and which right it is; nil if no right is.
    static func obstacle(_ path: String) -> (file: String, right: String)? {
        let folder = folder(of: path)
        if access(path, F_OK) != 0 { return allows(folder, rights: W_OK | X_OK) ? nil : (folder, "write") }
        for file in ["", "-wal", "-shm"].map({ path + $0 }) where access(file, F_OK) == 0 {
            if !allows(file, rights: R_OK) { return (file, "read") }
            if !allows(file, rights: W_OK) { return (file, "write") }
        }
        return allows(folder, rights: W_OK | X_OK) ? nil : (folder, "write")
    }

    static func hasFolder(_ path: String) -> Bool { access(folder(of: path), F_OK) == 0 }

    private static func allows(_ path: String, rights: Int32) -> Bool {
        faccessat(AT_FDCWD, path, rights, AT_EACCESS) == 0
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

/// Which file a path leads to.
struct FileIdentity: Equatable {
    private let device: dev_t
    private let inode: ino_t

    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, inode) = (status.st_dev, status.st_ino)
    }
}

/// What shows that a file was changed, or that a process has opened it.
struct FileState: Equatable {
    private let seconds: Int
    private let nanoseconds: Int
    private let size: Int
    private let hasLog: Bool

    init(_ path: String) {
        var status = stat()
        _ = stat(path, &status)
        (seconds, nanoseconds, size) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_size)
        hasLog = access(path + "-wal", F_OK) == 0
    }
}
