import Glibc
import PushLocking

/// A service manager's end of `NOTIFY_SOCKET`.
final class NotifyReceiver: Sendable {
    private let descriptor: Int32
    private let seen = Locked<[String]>([])

    struct CannotBind: Error {
        let code: Int32
    }

    /// - Parameter address: A path, or `@` and a name without a file.
    init(_ address: String) throws {
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        descriptor = socket(AF_UNIX, type, 0)
        let isAbstract = address.hasPrefix("@")
        let name = isAbstract ? [0] + Array(address.utf8.dropFirst()) : Array(address.utf8) + [0]
        var bound = sockaddr_un()
        bound.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &bound.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let code = withUnsafePointer(to: &bound) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard code == 0 else { throw CannotBind(code: errno) }
    }

    deinit { _ = close(descriptor) }

    /// All lines that came so far, in order.
    var lines: [String] {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        return seen.withLock { seen in
            while true {
                let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
                guard count > 0 else { return seen }
                seen += String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
            }
        }
    }
}
