import Glibc

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
