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

/// An IPv4 or IPv6 address in text form.
package struct IPLiteral: Sendable, Hashable {
    /// In network order: 4 or 16 bytes.
    package let bytes: [UInt8]

    /// Nil if `text` is not an address. An IPv4 address inside an IPv6 one (`::ffff:10.0.0.1`) becomes an IPv4 address.
    package init?(_ text: String) {
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            bytes = withUnsafeBytes(of: v4) { Array($0) }
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            let all = withUnsafeBytes(of: v6) { Array($0) }
            let isMapped = all.prefix(10).allSatisfy { $0 == 0 } && all[10] == 0xFF && all[11] == 0xFF
            bytes = isMapped ? Array(all[12...]) : all
        } else {
            return nil
        }
    }

    /// Whether it leads back to this machine: 127.0.0.0/8, ::1, and the unspecified address, which Linux treats the
    /// same.
    package var isLoopback: Bool {
        if bytes.count == 4 { return bytes[0] == 127 || bytes.allSatisfy { $0 == 0 } }
        return bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] <= 1
    }

    /// Whether its first `length` bits equal those of `network`.
    package func isWithin(_ network: IPLiteral, length: Int) -> Bool {
        guard bytes.count == network.bytes.count, (0...bytes.count * 8).contains(length) else { return false }
        let whole = length / 8
        guard bytes.prefix(whole) == network.bytes.prefix(whole) else { return false }
        let rest = length % 8
        return rest == 0 || (bytes[whole] ^ network.bytes[whole]) >> (8 - rest) == 0
    }
}

extension Endpoint {
    /// Whether its host means this machine: `localhost`, a name below it (RFC 6761, section 6.3), or a loopback
    /// address. Includes the short forms that the system's resolver accepts, such as 127.1.
    package var isLoopback: Bool {
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        if let literal = IPLiteral(name) { return literal.isLoopback }
        var short = in_addr()
        return inet_aton(name, &short) != 0 && withUnsafeBytes(of: short) { $0[0] == 127 }
    }
}
