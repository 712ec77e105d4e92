import Glibc

/// How many descriptors this program may have open (getrlimit(2), RLIMIT_NOFILE).
package enum DescriptorLimit {
    /// What a program needs beside connections: files, pipes, listeners.
    private static let others = 64
    /// A socket, and the epoll that watches it.
    private static let perConnection = 2
    /// However many descriptors there are.
    static let mostConnections = 20_000

    /// Raises the soft limit to the hard one.
    package static func raise() {
        guard var limit = current, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// How many connections a listener may have open at present.
    static var connections: Int {
        guard let limit = current else { return mostConnections }
        return connections(descriptors: Int(clamping: limit.rlim_cur))
    }

    /// An eighth is kept for connections that are about to end.
    static func connections(descriptors: Int) -> Int {
        let places = max(0, descriptors - others) / perConnection
        return min(mostConnections, max(1, places - places / 8))
    }

    private static var current: rlimit? {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit : nil
    }
}
