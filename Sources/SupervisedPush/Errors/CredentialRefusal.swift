/// APNs refuses a connection's credential, and no retry helps: a certificate that is not valid or belongs to the
/// other environment, a key that is not the team's.
///
/// The connection is suspended, see ``LifecycleMessage/suspended(pid:name:cause:nextProbe:)``. With
/// ``OnRefusedCredential/giveUp``, and before the first push was accepted under its name, its process ends with `failure` and this
/// error instead, and is not restarted (see ``ProcessRuntime/ExitReason/credentialRefusal``). Pushes end with the code
/// ``PushError/Code/credentialRefused`` either way.
public struct CredentialRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// What APNs said; nil where TLS refused the certificate, and for a 403 without a reason.
    public let reason: RejectionReason?
    /// Where it was refused: `tls` for an alert, `http2` for a GOAWAY, `apns` for answers to pushes.
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
        self.init(reason, layer, description)
    }

    init(_ reason: RejectionReason?, _ layer: ErrorLayer, _ description: String) {
        self.reason = reason
        self.layer = layer
        self.description = description
    }
}

extension ExitReason {
    /// Why the credential was refused, if that ended the process: nothing but another credential or another set-up helps.
    public var credentialRefusal: CredentialRefusal? {
        if case .failure(let error) = self { error as? CredentialRefusal } else { nil }
    }
}
