/// Decides who is let in: without a socket, so that each rule is a test.
///
/// A page of another site can make a browser send requests here. It can't read answers, because there are no CORS
/// headers; with DNS rebinding it could, so the host is checked; and it must not change anything, so the origin is.
struct Gate: Sendable {
    struct Head: Sendable {
        var method: String
        var path: String
        /// The value of `Host`.
        var authority: String?
        var origin: String?
        /// The value of `Sec-Fetch-Site`.
        var fetchSite: String?
    }

    /// The names by which it may be reached, in lower case, without ports.
    private let hosts: Set<String>

    /// - Parameters:
    ///   - host: The address that it is bound to.
    ///   - names: Further names.
    init(host: String, names: [String]) {
        let loopback = ["127.0.0.1", "::1", "localhost"]
        // Every address of the machine is bound, so those of loopback are, too.
        let isEverywhere = host == "0.0.0.0" || host == "::"
        let own = isEverywhere || loopback.contains(host) ? loopback : ["localhost"]
        hosts = Set(([host] + own + names).map { $0.lowercased() })
    }

    /// Throws if the request comes to another name, or from another site.
    func check(_ head: Head) throws(InboxProblem) {
        guard let authority = head.authority, let host = Self.host(of: authority), hosts.contains(host) else {
            throw InboxProblem(
                421, name: "wrong-host", title: "The host is not one of this inbox.",
                detail: "Reach it by its address, as localhost, or by a name that --inbox-host gave.")
        }
        if head.fetchSite == "cross-site", !Self.isNavigation(head) { throw Self.foreign }
        guard head.method != "GET", head.method != "HEAD" else { return }
        if let site = head.fetchSite, site != "same-origin", site != "none" { throw Self.foreign }
        guard let origin = head.origin else { return }
        guard origin == "http://\(authority)" || origin == "https://\(authority)" else { throw Self.foreign }
    }

    private static let foreign = InboxProblem(
        403, name: "foreign-origin", title: "The request comes from another site.",
        detail: "Only the inbox's own page may do this.")

    /// A link from elsewhere to the page itself is harmless.
    private static func isNavigation(_ head: Head) -> Bool { head.method == "GET" && head.path == "/" }

    /// The host of `host:port`, `[::1]:port` or a name alone, in lower case.
    static func host(of authority: String) -> String? {
        if authority.hasPrefix("[") {
            return authority.firstIndex(of: "]").map { String(authority[..<$0].dropFirst()).lowercased() }
        }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let host = parts.first, !host.isEmpty else { return nil }
        return host.lowercased()
    }
}
