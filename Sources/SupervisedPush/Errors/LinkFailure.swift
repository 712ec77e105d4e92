/// Why a link to APNs broke or did not come up. It does not end the connection, which dials again.
public struct LinkFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The layer that failed.
    public let layer: ErrorLayer
    /// What happened, in a sentence.
    public let description: String
    /// The peer refused our certificate with a TLS alert.
    let refusesCertificate: Bool
    /// No later attempt can succeed until something is changed: the host's name, its certificate, the proxy's password.
    package let isLasting: Bool

    /// Creates a failure, for tests of code that handles one.
    public init(_ layer: ErrorLayer, _ description: String) {
        self.init(layer, description, refusesCertificate: false)
    }

    /// What a link that is short of flow-control windows says, everywhere.
    static let noMoreBytes = "The server takes no more bytes (flow control)."

    /// Makes one from its layer and sentence.
    init(_ layer: ErrorLayer, _ description: String, refusesCertificate: Bool, isLasting: Bool = false) {
        self.layer = layer
        self.description = description
        self.refusesCertificate = refusesCertificate
        self.isLasting = isLasting
    }
}
