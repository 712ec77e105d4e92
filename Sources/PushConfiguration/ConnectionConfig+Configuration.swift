import Configuration
import SupervisedPush

extension ConnectionConfig {
    /// Reads a configuration with swift-configuration: from environment variables, files, a secret store, or whatever
    /// else the reader's providers read.
    ///
    /// ```swift
    /// let reader = ConfigReader(providers: [EnvironmentVariablesProvider(), try await FileProvider<JSONSnapshot>(filePath: "push.json")])
    /// let orders = try runtime.connect(name: "orders", config: ConnectionConfig(reading: reader.scoped(to: "apns")))
    /// ```
    /// The keys are the names of the file that `ConnectionConfig(contentsOf:)` reads, below the
    /// reader's scope. In the environment `apns.team-id` is `APNS_TEAM_ID`. `headers` is a list of texts such as
    /// `x-tenant: one`. For several connections, scope the reader once for each.
    ///
    /// Files may also be given by their content: `key-pem`, `certificate-pem`, `private-key-pem`, `trust-roots-pem` and
    /// `password`. These are read as secrets, so that no access reporter shows them. Give each as a value or as a file,
    /// not both.
    ///
    /// - Parameter reader: All values are read from one snapshot of it.
    /// - Throws: `ConnectError`: `configuration` for a value out of range, and without a credential or
    ///   with more than one; `credential` if the password file cannot be read. It names the setting with the reader's
    ///   scope, and the variable of the environment: `apns.timeout (APNS_TIMEOUT)`.
    public init(reading reader: ConfigReader) throws(ConnectError) { try self.init(reader.snapshot()) }

    init(_ values: ConfigSnapshotReader) throws(ConnectError) {
        try self.init(ConfigurationFile(values.settings, from: values.origin))
    }
}

extension PushConnection {
    /// Follows a configuration: the connection gets the credential and the trust roots that it names, at the start and
    /// after each change, as by `replaceCredential(with:trust:)`. The same credential again changes nothing. Run it in
    /// a task of its own, for example as a service.
    ///
    /// Other settings hold from `connect` on. If new values cannot be used, the connection keeps what it has, and
    /// `failure` is called.
    ///
    /// - Parameters:
    ///   - reader: One whose providers tell changes, such as a `ReloadingFileProvider`.
    ///   - failure: Called with why new values were not used.
    /// - Throws: `CancellationError`, and what the reader's providers throw.
    public func followCredential(
        in reader: ConfigReader, failure: @escaping @Sendable (ConnectError) -> Void = { _ in }
    ) async throws {
        try await reader.watchSnapshot { updates in
            // The first values may already differ from those that the connection was made with.
            var followed: ConfigurationSettings?
            for await values in updates {
                let new = values.credentialSettings
                defer { followed = new }
                if let followed, followed == new { continue }
                do throws(ConnectError) {
                    let config = try ConnectionConfig(values)
                    let trust = new.has(.trustRoots) ? config.trust : nil
                    try await replaceCredential(with: config.credential, trust: trust)
                } catch {
                    failure(error)
                }
            }
        }
        try Task.checkCancellation()
    }
}
