import Glibc

/// An IPv4 or IPv6 address with a port, in the form of the system calls.
struct SocketAddress: Sendable, CustomStringConvertible {
    private var storage: sockaddr_storage
    private let length: socklen_t

    /// Parses an IP literal; nil if `literal` is not one.
    init?(literal: String, port: Int) {
        guard let port = UInt16(exactly: port) else { return nil }
        var storage = sockaddr_storage()
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, literal, &v4) == 1 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr = v4
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in.self) }
            length = socklen_t(MemoryLayout<sockaddr_in>.size)
        } else if inet_pton(AF_INET6, literal, &v6) == 1 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = v6
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in6.self) }
            length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        } else {
            return nil
        }
        self.storage = storage
    }

    /// Copies an address from the system; nil unless it is IPv4 or IPv6.
    init?(copying address: UnsafePointer<sockaddr>, length: socklen_t) {
        let family = Int32(address.pointee.sa_family)
        guard family == AF_INET || family == AF_INET6, length <= MemoryLayout<sockaddr_storage>.size else { return nil }
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
        }
        self.storage = storage
        self.length = length
    }

    var family: Int32 { Int32(storage.ss_family) }

    var port: Int {
        get { Int(UInt16(bigEndian: withUnsafeBytes(of: storage) { $0.load(fromByteOffset: 2, as: UInt16.self) })) }
        set {
            // The port has the same offset in sockaddr_in and sockaddr_in6.
            let value = UInt16(truncatingIfNeeded: newValue).bigEndian
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: value, toByteOffset: 2, as: UInt16.self) }
        }
    }

    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// The IP literal.
    var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            guard let start = text.baseAddress else { return "" }
            let offset = family == AF_INET ? 4 : 8  // sin_addr, sin6_addr
            let written = withUnsafeBytes(of: storage) { bytes -> Bool in
                guard let base = bytes.baseAddress else { return false }
                return inet_ntop(family, base + offset, start, socklen_t(text.count)) != nil
            }
            return written ? String(cString: start) : ""
        }
    }
}
