import Foundation

/// Takes connections on a port of 127.0.0.1, and says nothing.
final class SilentListener: Sendable {
    let port: Int
    private let descriptor: Int32
    private let accepted: AsyncStream<Void>

    struct CannotListen: Error {
        let code: Int32
    }

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr = in_addr(s_addr: in_addr_t(0x7F00_0001).bigEndian)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                guard bind(descriptor, generic, length) == 0, listen(descriptor, 16) == 0,
                    getsockname(descriptor, generic, &length) == 0
                else { return errno }
                return 0
            }
        }
        guard code == 0 else {
            close(descriptor)
            throw CannotListen(code: code)
        }
        self.descriptor = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
        let (accepted, continuation) = AsyncStream<Void>.makeStream()
        self.accepted = accepted
        Thread.detachNewThread {
            var open: [Int32] = []
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0 else { break }
                open.append(client)
                continuation.yield()
            }
            for client in open { close(client) }
            close(descriptor)
        }
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Waits for this many connections.
    func connections(_ count: Int) async {
        var left = count
        for await _ in accepted {
            left -= 1
            if left == 0 { return }
        }
    }
}
