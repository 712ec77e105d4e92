import PushTerminal
import SupervisedPush

extension CredentialFacts {
    /// What may be shown of the credential, on one line.
    func text(at now: Int64) -> String {
        switch self {
        case .token(let keyID, let teamID): return "provider token, key \(keyID), team \(teamID)"
        case .tokens(let source): return "provider tokens from \(source)"
        case .certificate(let certificate):
            var parts = ["certificate \(certificate.commonName ?? "without a name")"]
            if !certificate.topics.isEmpty {
                let more = certificate.topics.count > 5 ? " and \(certificate.topics.count - 5) more" : ""
                parts.append("topics \(certificate.topics.prefix(5).joined(separator: ", "))\(more)")
            }
            let environments = [
                certificate.allowsProduction ? "production" : nil, certificate.allowsDevelopment ? "development" : nil,
            ].compactMap(\.self)
            if !environments.isEmpty { parts.append("for \(environments.joined(separator: " and "))") }
            let days = (certificate.notAfter - now) / 86_400
            parts.append("\(days) days left (until \(UTC.text(certificate.notAfter)))")
            return parts.joined(separator: "; ")
        }
    }
}
