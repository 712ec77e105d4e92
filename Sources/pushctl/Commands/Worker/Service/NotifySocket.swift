import Glibc

/// The socket on which a service manager, such as systemd, hears from its service: `NOTIFY_SOCKET`, see sd_notify(3).
final class NotifySocket: Sendable {
    private let descriptor: Int32
    /// The content of `sun_path`. A path ends with a zero, a name without a file begins with one.
    private let name: [UInt8]

    /// - Parameter address: A path, or `@` and a name without a file.
    /// - Returns: Nil for an address of another kind, and without a descriptor.
    init?(_ address: String) {
        let bytes = Array(address.utf8)
        switch bytes.first {
        case UInt8(ascii: "/"): name = bytes + [0]
        case UInt8(ascii: "@"): name = [0] + bytes.dropFirst()
        default: return nil
        }
        guard name.count <= MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        descriptor = socket(AF_UNIX, type, 0)
        if descriptor < 0 { return nil }
    }

    /// Sends one datagram. It does not wait: a manager that does not read misses it.
    func send(_ text: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let bytes = Array(text.utf8)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bytes.withUnsafeBytes { _ = sendto(descriptor, $0.baseAddress, $0.count, 0, address, length) }
            }
        }
    }

    deinit { _ = close(descriptor) }
}
