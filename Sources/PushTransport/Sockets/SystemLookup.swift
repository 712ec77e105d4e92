import Glibc

/// One blocking `getaddrinfo`.
enum SystemLookup {
    /// EAI_NODATA: the name exists but has no address. A GNU extension that Swift's C library module omits.
    private static let noData: Int32 = -5

    static func addresses(of host: String) -> Resolver.Answer {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        // No AI_ADDRCONFIG: it ignores loopback, so names would fail in a container that has nothing else. An address
        // of a family without a route costs one failed connect, and is sorted to the end (RFC 6724, rule 1).
        hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else { return .failure(failure(host, code: code, number: errno)) }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var entry = list
        while let current = entry?.pointee, addresses.count < 64 {
            if let address = current.ai_addr, let copy = SocketAddress(copying: address, length: current.ai_addrlen) {
                addresses.append(copy)
            }
            entry = current.ai_next
        }
        return addresses.isEmpty ? .failure(failure(host, code: EAI_NONAME, number: 0)) : .success(addresses)
    }

    private static func failure(_ host: String, code: Int32, number: Int32) -> TransportError {
        let text = code == EAI_SYSTEM ? errnoText(number) : gai_strerror(code).map { String(cString: $0) } ?? "\(code)"
        switch code {
        case EAI_NONAME, noData:
            return TransportError(
                layer: .resolve, code: .unknownHost,
                sentence: "\(host) has no address: \(text). Check its spelling and this machine's name servers.")
        default:
            return TransportError(
                layer: .resolve, code: .resolverFailed,
                sentence: "\(host) could not be looked up: \(text). Check this machine's name servers.")
        }
    }
}
