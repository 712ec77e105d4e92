import Glibc

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
