import Glibc
import Logging
import PushCampaign
import PushTerminal
import SupervisedPush

extension ConnectionOptions {
    /// The configuration that the flags describe. No file has been read yet.
    func config(_ logger: Logger) throws(CommandError) -> PushConnection.Configuration {
        try config(Credential(try credential(), password: try password(logger)), logger)
    }

    /// The same without a credential, for a connection that makes no request.
    func anonymousConfig(_ logger: Logger) throws(CommandError) -> PushConnection.Configuration {
        try config(.tokens(from: "nowhere") { try BearerToken("none") }, logger)
    }

    private func config(_ credential: Credential, _ logger: Logger) throws(CommandError) -> PushConnection.Configuration
    {
        var config = PushConnection.Configuration(
            environment: environment == .production ? .production : .development, host: host, port: port,
            credential: credential,
            trust: trustRoots.map { .file($0) } ?? .system,
            defaults: RequestDefaults(topic: topic), timeout: timeout.duration)
        // A command says at once that its credential is refused.
        config.retry.onRefusedCredential = .giveUp
        config.liveness.connectTimeout = connectTimeout.duration
        config.proxy = try proxySetting()
        if resendUnknown { config.retry.resend = .resendUnknown }
        config.retry.statusRetry = StatusRetryPolicy(retries: retryStatus)
        config.watching.logger = logger
        if let file = try settings.source()?.file() {
            do { try config.addWhatOnlyFilesSay(file) } catch { throw CommandError(error) }
        }
        return config
    }

    /// The password of a certificate's key, from the file or the environment; never from the command line, which every
    /// user on the machine can read.
    private func password(_ logger: Logger) throws(CommandError) -> String? {
        guard key == nil else { return nil }
        guard let passwordFile else { return getenv("PUSHCTL_PASSWORD").map { String(cString: $0) } }
        if ByteSource.file(passwordFile).isOpenToAll {
            logger.warnOfPasswordFile(passwordFile)
        }
        do { return try PasswordFile.password(passwordFile) } catch { throw CommandError(error) }
    }

    /// Starts the connection, or the pool, that the flags ask for.
    func connect(
        on runtime: PushRuntime, name: String, config: PushConnection.Configuration,
        owner: Mailbox<LifecycleMessage>
    ) throws(CommandError) -> PushConnection {
        do {
            return if connections == .one {
                try runtime.connect(name: name, config: config, owner: owner)
            } else {
                try runtime.connect(name: name, size: connections.range, config: config, owner: owner)
            }
        } catch {
            throw CommandError(error)
        }
    }
}

extension Logger {
    /// Warns of a password file that others may read.
    func warnOfPasswordFile(_ path: String) { warn(ofFile: path, kind: "password") }

    /// Warns of a key file that others may read.
    func warnOfKeyFile(_ path: String) { warn(ofFile: path, kind: "key") }

    private func warn(ofFile path: String, kind: String) {
        warning("every user of this machine may use a \(kind) file: chmod o= it", metadata: ["file": "\(path)"])
    }
}

extension Credential {
    init(_ files: CredentialFiles, password: String?) {
        self =
            switch files {
            case .token(let key, let keyID, let teamID): .token(key: .file(key), keyID: keyID, teamID: teamID)
            case .certificate(let certificate, let privateKey):
                .certificate(.file(certificate), privateKey: privateKey.map { .file($0) }, password: password)
            case .pkcs12(let file): .pkcs12(.file(file), password: password)
            }
    }
}

extension CommandError {
    /// Errors that `connect` throws before it uses the network: keys, certificates, values.
    init(_ error: ConnectError) { self = .configuration(error.description) }
}
