import Dispatch
import Glibc
import PushLocking

/// A listening Unix socket, which only its own user can open.
///
/// It replaces the socket of a program that has ended, and removes its own at the end. A socket that a program serves, and
/// any other file, stays as it is.
package final class UnixListener: Sendable {
    private let address: UnixAddress
    private let identity: FileIdentity
    private let listener: SocketListener
    private let isOpen = Locked(true)

    /// Binds and listens. Makes the folder, mode 0700, if only that is missing.
    package init(at path: String) throws(TransportError) {
        address = try UnixAddress(path)
        // Until the end of `init`: between another program's bind and listen, its socket looks like one without a server.
        let lock = try FolderLock(address.folder)
        try address.removeRemains()
        let descriptor = try Self.socket()
        do throws(TransportError) {
            identity = try Self.listen(on: descriptor, at: address)
        } catch {
            _ = Glibc.close(descriptor)
            throw error
        }
        listener = SocketListener(listening: descriptor, endpoint: Endpoint(host: path, port: 0))
        withExtendedLifetime(lock) {}
    }

    deinit { close() }

    /// Starts accepting. `onAccept` receives each channel on `queue`, not yet activated. Called once.
    package func accept(on queue: DispatchQueue, onAccept: @escaping @Sendable (SocketChannel) -> Void) {
        listener.accept(on: queue, onAccept: onAccept)
    }

    /// Removes the file and stops listening. May be called from any thread; a second call does nothing.
    package func close() {
        let isFirst = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard isFirst else { return }
        // Another file of this name, made since, is not ours. It has another number: ours is kept by the descriptor.
        if FileIdentity(of: address.path) == identity { unlink(address.path) }
        listener.close()
    }

    private static func socket() throws(TransportError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else {
            let number = errno
            throw UnixAddress.failure(.system(number), "No socket can be made: \(errnoText(number)).")
        }
        return descriptor
    }

    private static func listen(
        on descriptor: Int32, at address: UnixAddress
    ) throws(TransportError) -> FileIdentity {
        // On Linux, bind gives the file the rights of the descriptor, less the umask. So the file never has others, and
        // the umask of the program stays as it is. Besides, nothing can connect before `listen`.
        guard fchmod(descriptor, 0o600) == 0, address.withSockaddr({ bind(descriptor, $0, $1) }) == 0 else {
            throw address.failure(errno)
        }
        guard let identity = FileIdentity(of: address.path), identity.mode & 0o077 == 0,
            Glibc.listen(descriptor, 16) == 0
        else {
            let number = errno
            unlink(address.path)
            throw address.failure(number)
        }
        return identity
    }
}

extension UnixAddress {
    /// Removes the socket of a program that has ended.
    ///
    /// - Throws: If a program serves it, or if there is something else.
    fileprivate func removeRemains() throws(TransportError) {
        guard let file = FileIdentity(of: path) else { return }
        guard file.mode & S_IFMT == S_IFSOCK else {
            throw Self.failure(
                .system(EEXIST), "\(path) is a file and not a socket: choose another path, or remove the file.")
        }
        switch connectionError() {
        case ECONNREFUSED: if unlink(path) != 0, errno != ENOENT { throw failure(errno) }
        case ENOENT: return
        case let number where number == EACCES || number == EPERM: throw failure(number)
        default:
            throw Self.failure(
                .system(EADDRINUSE), "Another program serves \(path): end it, or choose another path.")
        }
    }

    /// The errno of an attempt to connect; 0 if a program listens.
    private func connectionError() -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return errno }
        defer { _ = close(descriptor) }
        return withSockaddr { connect(descriptor, $0, $1) } == 0 ? 0 : errno
    }

    fileprivate func failure(_ number: Int32) -> TransportError {
        Self.failure(.system(number), "\(path) cannot be made a socket: \(errnoText(number)).")
    }
}

/// Which file a path names, and of what kind; links are not followed.
private struct FileIdentity: Sendable, Equatable {
    private let device: dev_t
    private let file: ino_t
    let mode: mode_t

    /// Nil if there is none.
    init?(of path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        (device, file, mode) = (status.st_dev, status.st_ino, status.st_mode)
    }

    /// Whether they are one file. Its mode may have changed.
    static func == (left: Self, right: Self) -> Bool { left.device == right.device && left.file == right.file }
}

/// A folder in which no other program that takes this lock makes a socket. It leaves no file behind.
private final class FolderLock {
    /// It is held for some system calls, so no other waits for long unless the lock means something else.
    private static let attempts = 200

    private let descriptor: Int32

    init(_ folder: String) throws(TransportError) {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw Self.failure(folder, number: errno) }
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(folder, number: errno) }
        for _ in 0..<Self.attempts {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
            usleep(5_000)
        }
        throw UnixAddress.failure(.system(EWOULDBLOCK), "Another program keeps the folder \(folder) locked.")
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }

    private static func failure(_ folder: String, number: Int32) -> TransportError {
        UnixAddress.failure(.system(number), "The folder \(folder) cannot be used: \(errnoText(number)).")
    }
}

/// The address of a Unix socket: a path.
package struct UnixAddress: Sendable, Hashable {
    /// The most bytes of a path: `sun_path` has 108, the last of which is 0 (unix(7)).
    package static let longestPath = 107

    package let path: String

    /// - Throws: For a path that is empty, contains a zero byte, or is too long.
    package init(_ path: String) throws(TransportError) {
        let count = path.utf8.count
        guard count > 0, !path.utf8.contains(0) else {
            throw Self.failure(.invalidEndpoint, "The path of a socket must not be empty or contain a zero byte.")
        }
        guard count <= Self.longestPath else {
            throw Self.failure(
                .invalidEndpoint,
                "The path of a socket has at most \(Self.longestPath) bytes, and this one has \(count): \(path). "
                    + "Choose a shorter one.")
        }
        self.path = path
    }

    /// The folder that the path is in.
    var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    package func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The rest stays 0, so the path ends.
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    static func failure(_ code: TransportError.Code, _ sentence: String) -> TransportError {
        TransportError(layer: .socket, code: code, sentence: sentence)
    }
}
