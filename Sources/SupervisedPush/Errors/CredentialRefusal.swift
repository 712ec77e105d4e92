/// APNs refuses a connection's credential, and retrying does not help: a certificate is not valid or belongs to the
/// other environment, or a key does not belong to the team.
///
/// The connection is suspended, see ``LifecycleMessage/suspended(pid:name:cause:nextProbe:)``. With
/// ``OnRefusedCredential/giveUp``, if no push has been accepted under its name yet, its process ends instead, with
/// `failure` and this error, and is not restarted (see ``ProcessRuntime/ExitReason/credentialRefusal``). In both cases
/// pushes end with the code ``PushError/Code/credentialRefused``.
public struct CredentialRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason APNs gave; nil if TLS refused the certificate, and for a 403 without a reason.
    public let reason: RejectionReason?
    /// Where it was refused: `tls` by an alert, `http2` by a GOAWAY, `apns` by answers to pushes.
    public let layer: ErrorLayer
    /// What happened and what to do, without any part of the credential.
    public let description: String

    /// Creates a refusal, for tests of code that handles one.
    ///
    /// - Parameters:
    ///   - reason: What APNs said, if anything.
    ///   - layer: Where it was refused.
    ///   - description: What happened and what to do.
    public init(_ reason: RejectionReason?, layer: ErrorLayer = .apns, description: String) {
        self.init(reason, at: layer, description)
    }

    init(_ reason: RejectionReason?, at layer: ErrorLayer, _ description: String) {
        self.reason = reason
        self.layer = layer
        self.description = description
    }
}

extension ExitReason {
    /// Why the credential was refused, if that ended the process: only another credential or another configuration
    /// helps.
    public var credentialRefusal: CredentialRefusal? {
        if case .failure(let error) = self { error as? CredentialRefusal } else { nil }
    }
}
