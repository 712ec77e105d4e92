/// The layer that failed. Look there first.
public struct ErrorLayer: Sendable, Hashable, CustomStringConvertible {
    /// The layer's name: a fixed word, suitable as a metric's label.
    public let name: String

    /// The call itself: an unknown name, a payload that cannot be sent, a full queue.
    public static let request = Self(name: "request")
    /// This library's own process: closed, ended, or failed.
    public static let process = Self(name: "process")
    /// The credential: its key, certificate or provider token could not be loaded.
    public static let credential = Self(name: "credential")
    /// The name of the host could not be resolved.
    public static let resolve = Self(name: "resolve")
    /// A TCP connection could not be established.
    public static let connect = Self(name: "connect")
    /// The proxy refused or failed.
    public static let proxy = Self(name: "proxy")
    /// The TLS handshake or a TLS record failed.
    public static let tls = Self(name: "tls")
    /// An established connection broke.
    public static let socket = Self(name: "socket")
    /// HTTP/2: a reset stream, GOAWAY, a protocol error.
    public static let http2 = Self(name: "http2")
    /// APNs: it refused a credential, or its answer was invalid.
    public static let apns = Self(name: "apns")

    /// The layer's name.
    public var description: String { name }
}
