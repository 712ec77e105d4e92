/// A proxy: its address, its protocol and its credentials.
package struct ProxyServer: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    package enum Kind: String, Sendable, Hashable {
        /// HTTP's CONNECT (RFC 9110, section 9.3.6).
        case http
        /// SOCKS version 5 (RFC 1928).
        case socks5
    }

    /// A user name and a password. No description shows the password.
    package struct Login: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        package let user: String
        package let password: String

        package init(user: String, password: String) {
            self.user = user
            self.password = password
        }

        package var description: String { "\(user):…" }
        package var customMirror: Mirror { Mirror(self, children: ["user": user]) }
    }

    package let kind: Kind
    package let endpoint: Endpoint
    /// The credentials, sent with the first request; nil if the proxy needs none.
    package let login: Login?

    package init(_ kind: Kind, at endpoint: Endpoint, login: Login? = nil) {
        self.kind = kind
        self.endpoint = endpoint
        self.login = login
    }

    /// The URL, without the password.
    package var description: String {
        login == nil ? "\(kind.rawValue)://\(endpoint)" : "\(kind.rawValue)://…@\(endpoint)"
    }

    package var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}
