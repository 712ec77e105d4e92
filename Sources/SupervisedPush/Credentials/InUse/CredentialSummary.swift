import FoundationEssentials
import PushTransport

/// The credential that a connection uses, without any secret: the key and team, or the certificate.
public struct CredentialSummary: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The kinds of credential. A struct, so that kinds can be added.
    public struct Kind: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The kind's name.
        public let name: String
        /// A signing key, which provider tokens are made with.
        public static let key = Self(name: "key")
        /// A source of your own, which gives provider tokens.
        public static let tokens = Self(name: "tokens")
        /// A provider certificate.
        public static let certificate = Self(name: "certificate")

        /// The kind's name.
        public var description: String { name }

        /// Writes the name.
        public func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            try value.encode(name)
        }

        private init(name: String) { self.name = name }

        /// Reads a name.
        public init(from decoder: any Decoder) throws {
            name = try decoder.singleValueContainer().decode(String.self)
        }
    }

    /// The kind of credential.
    public let kind: Kind
    /// The key's id; nil if there is none.
    public var keyID: String?
    /// The team's id; nil if there is none.
    public var teamID: String?
    /// The name of a source of provider tokens; nil otherwise.
    public var source: String?
    /// The certificate's subject; nil for other kinds, and before the certificate was loaded.
    public var subject: String?
    /// When the certificate expires; nil as ``subject``.
    public var notAfter: Date?

    init(_ kind: Kind) { self.kind = kind }

    /// One line: `key ABC123DEFG of team DEF123GHIJ`.
    public var description: String {
        switch kind {
        case .key: return "key \(keyID ?? "by its file's name") of team \(teamID ?? "")"
        case .tokens: return "provider tokens from \(source ?? "")"
        default:
            guard let subject, let notAfter else { return "certificate, not loaded yet" }
            return "certificate \(subject), valid until \(UTCTime.text(notAfter.unixSeconds))"
        }
    }
}

extension CredentialSlot {
    /// The credential in use.
    var summary: CredentialSummary {
        let (current, source) = currentAndSource
        var summary: CredentialSummary
        switch source.credential.kind {
        case .token(let key, let keyID, let teamID, _):
            summary = CredentialSummary(.key)
            summary.keyID = keyID ?? key.path.flatMap { KeyFileName.keyID(in: $0) }
            summary.teamID = teamID
        case .tokens(let tokens):
            summary = CredentialSummary(.tokens)
            summary.source = tokens.name
        case .certificate, .pkcs12:
            summary = CredentialSummary(.certificate)
            summary.subject = current.identity?.subject
            summary.notAfter = (current.identity?.notAfter).map { Date(unixSeconds: $0) }
        }
        return summary
    }
}
