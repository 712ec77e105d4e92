/// The names in a configuration file: those of pushctl's connection flags, and what only a file can say.
package enum ConfigurationKey: String, CaseIterable, Sendable {
    case environment, host, port
    case managementPort = "management-port"
    case key
    case keyID = "key-id"
    case teamID = "team-id"
    case certificate
    case privateKey = "private-key"
    case p12
    case passwordFile = "password-file"
    case trustRoots = "trust-roots"
    case proxy, topic, connections, timeout
    case connectTimeout = "connect-timeout"
    case maxOutage = "max-outage"
    case resendUnknown = "resend-unknown"
    case retryStatus = "retry-status"
    case drain
    case backoffCeiling = "backoff-ceiling"
    case pushType = "push-type"
    case priority, expiration
    case collapseID = "collapse-id"
    case headers
    case queue, name
    case queuePasswordFile = "queue-password-file"
    case queueTrustRoots = "queue-trust-roots"
    case queueCertificate = "queue-certificate"
    case queueKey = "queue-key"
    case queueSentinelUser = "queue-sentinel-user"
    case queueSentinelPasswordFile = "queue-sentinel-password-file"

    /// The kind of a value.
    enum Kind {
        case text
        /// A file: absolute, relative to the configuration file's folder, or `~/` for one in the user's home folder.
        case path
        /// The URL of a server, or a file as in ``path``.
        case place
        case word([String])
        case integer(ClosedRange<Int>)
        /// Seconds, a week at most.
        case seconds
        /// `N` or `"N...M"`.
        case count
        case flag
        /// One of these numbers.
        case number([Int])
        /// Header fields by their names.
        case fields
    }

    /// Whether it is a flag of pushctl's, too.
    var isFlag: Bool {
        switch self {
        case .backoffCeiling, .pushType, .priority, .expiration, .collapseID, .headers: false
        default: true
        }
    }

    /// In which form a value comes.
    package enum Form {
        case text, integer, number, flag, fields
    }

    package var form: Form {
        switch kind {
        case .text, .path, .place, .word, .count: .text
        case .integer, .number: .integer
        case .seconds: .number
        case .flag: .flag
        case .fields: .fields
        }
    }

    /// Whether its value names a file.
    package var isPath: Bool { if case .path = kind { true } else { false } }

    /// The name under which the content of its file may be given as a value; nil if it may not.
    package var inlineName: String? {
        switch self {
        case .key, .certificate, .privateKey, .trustRoots: "\(rawValue)-pem"
        case .passwordFile: "password"
        default: nil
        }
    }

    var kind: Kind {
        switch self {
        case .environment: .word(["production", "development", "sandbox"])
        case .host, .keyID, .teamID, .proxy, .topic, .pushType, .collapseID, .name, .queueSentinelUser: .text
        case .port, .managementPort: .integer(1...65_535)
        case .key, .certificate, .privateKey, .p12, .passwordFile, .trustRoots: .path
        case .queuePasswordFile, .queueTrustRoots, .queueCertificate, .queueKey, .queueSentinelPasswordFile: .path
        case .queue: .place
        case .connections: .count
        case .timeout, .connectTimeout, .maxOutage, .drain, .backoffCeiling: .seconds
        case .priority: .number([1, 5, 10])
        case .expiration: .integer(0...Int(Int32.max))
        case .headers: .fields
        case .resendUnknown: .flag
        case .retryStatus: .integer(0...19)
        }
    }

    /// The names that say where a queue is, and how its server is reached.
    package static let queuePlace: [ConfigurationKey] = [
        .queue, .queuePasswordFile, .queueTrustRoots, .queueCertificate, .queueKey, .queueSentinelUser,
        .queueSentinelPasswordFile,
    ]

    /// The names of a connection: all but those of a queue.
    package static let connection = allCases.filter { $0 != .name && !queuePlace.contains($0) }

    /// The names that form a credential.
    package static let credentials: [[ConfigurationKey]] = [
        [.key, .keyID, .teamID], [.certificate, .privateKey], [.p12],
    ]
}
