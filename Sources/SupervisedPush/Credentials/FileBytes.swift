#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#else
    import Musl
#endif

extension ByteSource {
    /// Keys, certificates and bundles are small; a file larger than this is something else.
    private static let limit = 4 << 20

    /// Reads the bytes; `what` names the thing in the error's sentence, for example "signing key".
    ///
    /// - Parameter again: whether it was read before. Then it has to be a regular file: a pipe gave what it had, and opening one may
    ///   take as long as nobody writes to it.
    func read(_ what: String, again: Bool = false) throws(ConnectError) -> [UInt8] {
        switch origin {
        case .memory(let bytes): return bytes
        case .file(let path): return try Self.readFile(path, what, again: again)
        case .loader(let loader):
            throw ConnectError(
                .configuration,
                "The \(what) can't be loaded from \(loader.name) here: give a file, or the bytes themselves.")
        }
    }

    /// True if others than the file's owner may read it.
    var isReadableByOthers: Bool {
        guard let path else { return false }
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
    }

    private static func readFile(_ path: String, _ what: String, again: Bool) throws(ConnectError) -> [UInt8] {
        func refusal(_ reason: String) -> ConnectError {
            ConnectError(.credential, "The \(what) in \(path) can't be read: \(reason).")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | (again ? O_NONBLOCK : 0))
        guard descriptor >= 0 else { throw refusal(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            throw refusal("it is a directory, name the file in it")
        }
        guard !again || status.st_mode & S_IFMT == S_IFREG else {
            throw refusal("it is no regular file, and only those are read again")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return bytes }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw refusal(String(cString: strerror(errno))) }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { throw refusal("it is larger than \(limit >> 20) MiB") }
        }
    }
}
