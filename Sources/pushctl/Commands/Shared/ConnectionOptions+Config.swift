import Logging
import SupervisedPush

extension ConnectionOptions {
    /// The configuration the flags describe. No file has been read yet.
    func config(_ logger: Logger) throws(CommandError) -> ConnectionConfig {
        var config = ConnectionConfig(
            environment: environment == .production ? .production : .development, host: host, port: port,
            credential: Credential(try credential()), trust: trustRoots.map { .file($0) } ?? .system,
            defaults: RequestDefaults(topic: topic.map { Topic(rawValue: $0) }), timeout: timeout.duration)
        config.connectTimeout = connectTimeout.duration
        if resendUnknown { config.resend = .resendUnknown }
        config.statusRetry = StatusRetryPolicy(retries: retryStatus)
        config.logger = logger
        return config
    }

    /// Starts the connection, or the pool, that the flags ask for.
    func connect(
        _ runtime: PushRuntime, _ name: String, _ config: ConnectionConfig, _ owner: Mailbox<LifecycleMessage>
    ) throws(CommandError) {
        do {
            if connections == .one {
                try runtime.connect(name: name, config: config, owner: owner)
            } else {
                try runtime.startPool(name: name, size: connections.range, config: config, owner: owner)
            }
        } catch {
            throw CommandError(error)
        }
    }
}

extension Credential {
    init(_ files: CredentialFiles) {
        self =
            switch files {
            case .token(let key, let keyID, let teamID): .token(key: .file(key), keyID: keyID, teamID: teamID)
            case .certificate(let certificate, let privateKey):
                .certificate(.file(certificate), privateKey: privateKey.map { .file($0) })
            }
    }
}

extension CommandError {
    /// What `connect` refuses, it refuses before any network: keys, certificates, values.
    init(_ error: ConnectError) { self = .configuration(error.description) }
}
