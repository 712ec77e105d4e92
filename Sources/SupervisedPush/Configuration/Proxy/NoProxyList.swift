import PushTransport

/// The hosts that are reached without a proxy, as `NO_PROXY` lists them. Invalid entries match nothing.
struct NoProxyList {
    private enum Host {
        case all
        /// The name, and every name below it.
        case domain(String)
        case network(IPLiteral, bits: Int)
    }

    private let entries: [(host: Host, port: Int?)]

    init(_ text: String) {
        entries = text.split(whereSeparator: { $0 == "," || $0.isWhitespace }).compactMap {
            Self.entry($0.lowercased())
        }
    }

    func contains(_ endpoint: Endpoint) -> Bool {
        let name = Self.bare(endpoint.host.lowercased())
        let address = IPLiteral(name)
        return entries.contains { entry in
            guard entry.port == nil || entry.port == endpoint.port else { return false }
            switch entry.host {
            case .all: return true
            case .domain(let domain): return address == nil && (name == domain || name.hasSuffix("." + domain))
            case .network(let network, let bits): return address?.isWithin(network, length: bits) ?? false
            }
        }
    }

    /// A name without its final dot.
    private static func bare(_ name: String) -> String { name.hasSuffix(".") ? String(name.dropLast()) : name }

    private static func entry(_ text: String) -> (host: Host, port: Int?)? {
        if text == "*" { return (.all, nil) }
        if let slash = text.firstIndex(of: "/") {
            guard let network = IPLiteral(String(text[..<slash])), let bits = Int(text[text.index(after: slash)...]),
                (0...network.bytes.count * 8).contains(bits)
            else { return nil }
            return (.network(network, bits: bits), nil)
        }
        guard let (name, port) = split(text) else { return nil }
        if let address = IPLiteral(name) { return (.network(address, bits: address.bytes.count * 8), port) }
        let domain = bare(name.hasPrefix("*.") ? String(name.dropFirst(2)) : String(name.drop { $0 == "." }))
        return domain.isEmpty ? nil : (.domain(domain), port)
    }

    /// Name and port of `name:port`, `[address]:port` and the like; nil if the port is invalid.
    private static func split(_ text: String) -> (name: String, port: Int?)? {
        if IPLiteral(text) != nil { return (text, nil) }
        var name = text[...]
        var port: Substring?
        if text.first == "[", let end = text.firstIndex(of: "]") {
            name = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            if !rest.isEmpty { port = rest }
        } else if let colon = text.firstIndex(of: ":") {
            name = text[..<colon]
            port = text[colon...]
        }
        guard let port else { return (String(name), nil) }
        guard port.first == ":", let number = Int(port.dropFirst()), (1...65_535).contains(number) else { return nil }
        return (String(name), number)
    }
}
