import Glibc

/// The name of an errno that sockets return.
func errnoName(_ number: Int32) -> String {
    switch number {
    case EACCES: "EACCES"
    case EADDRINUSE: "EADDRINUSE"
    case EADDRNOTAVAIL: "EADDRNOTAVAIL"
    case EAFNOSUPPORT: "EAFNOSUPPORT"
    case EBADF: "EBADF"
    case ECONNABORTED: "ECONNABORTED"
    case ECONNREFUSED: "ECONNREFUSED"
    case ECONNRESET: "ECONNRESET"
    case EHOSTUNREACH: "EHOSTUNREACH"
    case EINVAL: "EINVAL"
    case EMFILE: "EMFILE"
    case ENETDOWN: "ENETDOWN"
    case ENETUNREACH: "ENETUNREACH"
    case ENFILE: "ENFILE"
    case ENOBUFS: "ENOBUFS"
    case ENOMEM: "ENOMEM"
    case ENOTCONN: "ENOTCONN"
    case EPERM: "EPERM"
    case EPIPE: "EPIPE"
    case ETIMEDOUT: "ETIMEDOUT"
    default: "errno \(number)"
    }
}

/// The system's text for an errno. Uses `strerror_r`, because `strerror` is not thread-safe.
package func errnoText(_ number: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        guard let start = buffer.baseAddress, strerror_r(number, start, buffer.count) == 0 else {
            return errnoName(number)
        }
        return String(cString: start)
    }
}
