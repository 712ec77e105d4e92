import ProcessRuntime
import PushTransport

/// The facts of a credential that may be shown.
package enum CredentialFacts: Sendable, Equatable {
    case token(keyID: String, teamID: String)
    /// Provider tokens of the caller's own source, with its name.
    case tokens(source: String)
    case certificate(Certificate)

    package struct Certificate: Sendable, Equatable {
        package let commonName: String?
        /// The certificate's list, otherwise its subject's UID.
        package let topics: [String]
        package let allowsProduction: Bool
        package let allowsDevelopment: Bool
        /// Seconds since 1970.
        package let notAfter: Int64

        package init(
            commonName: String?, topics: [String], allowsProduction: Bool, allowsDevelopment: Bool, notAfter: Int64
        ) {
            self.commonName = commonName
            self.topics = topics
            self.allowsProduction = allowsProduction
            self.allowsDevelopment = allowsDevelopment
            self.notAfter = notAfter
        }
    }

    /// Reads and checks the credential as `connect` does, without the network.
    ///
    /// - Throws: The errors of `connect`.
    package init(_ config: PushConnection.Configuration) throws(ConnectError) {
        let resolved = try CredentialReader(time: SystemTime()).resolve(config)
        switch config.credential.kind {
        case .token(_, let keyID, let teamID, _):
            self = .token(keyID: keyID ?? "by the file's name", teamID: teamID)
        case .tokens(let source): self = .tokens(source: source.name)
        case .certificate, .pkcs12:
            let identity = resolved.identity
            let topics = identity?.topics ?? []
            self = .certificate(
                Certificate(
                    commonName: identity?.commonName,
                    topics: topics.isEmpty ? [identity?.subjectUID].compactMap(\.self) : topics,
                    allowsProduction: identity?.allowsProduction ?? false,
                    allowsDevelopment: identity?.allowsDevelopment ?? false, notAfter: identity?.notAfter ?? 0))
        }
    }
}
