import Configuration
import SupervisedPush

extension PushConnection.Configuration {
    /// Reads a configuration with swift-configuration: from environment variables, files, a secret store, or whatever
    /// else the reader's providers read.
    ///
    /// ```swift
    /// let reader = ConfigReader(providers: [EnvironmentVariablesProvider(), try await FileProvider<JSONSnapshot>(filePath: "push.json")])
    /// let orders = try runtime.connect(name: "orders", config: PushConnection.Configuration(reading: reader.scoped(to: "apns")))
    /// ```
    /// The keys are the names of the file that `PushConnection.Configuration(contentsOf:)` reads, below the
    /// reader's scope. In the environment `apns.team-id` is `APNS_TEAM_ID`. `headers` is a list of texts such as
    /// `x-tenant: one`. For several connections, scope the reader once for each, or see `named(_:reading:)`.
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

    /// Reads several connections, as `named(contentsOf:)` reads those of a file: what stands directly in the reader's
    /// scope holds for all of them, and what stands below `named` and a name holds for that one. A credential of its
    /// own replaces the one for all.
    ///
    /// ```swift
    /// // APNS_NAMES=orders,news  APNS_TEAM_ID=…  APNS_KEY=…  APNS_NAMED_NEWS_TIMEOUT=5
    /// for (name, config) in try PushConnection.Configuration.named(reading: reader.scoped(to: "apns")) {
    ///     try runtime.connect(name: name, config: config)
    /// }
    /// ```
    /// - Parameters:
    ///   - names: The connections. Nil, the default: those that the key `names` lists. They must be given because a
    ///     reader cannot tell which keys it has.
    ///   - reader: All values are read from one snapshot of it.
    /// - Throws: `ConnectError`, as `init(reading:)`; also without a name.
    public static func named(
        _ names: [String]? = nil, reading reader: ConfigReader
    ) throws(ConnectError) -> [String: PushConnection.Configuration] {
        let (values, list) = (reader.snapshot(), "names")
        guard let names = names ?? values.stringArray(forKey: ConfigKey(list)), !names.isEmpty else {
            throw values.origin.refusal(of: list, " must list the names of the connections, such as orders,news.")
        }
        var named: [String: ConfigurationSettings] = [:]
        for name in names {
            guard !name.isEmpty else { throw values.origin.refusal(of: list, " contains a name that is empty.") }
            named[name] = values.scoped(to: ConfigKey([ConfigurationFile.named, name])).settings
        }
        return try self.named(ConfigurationFile(values.settings, named: named, from: values.origin))
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
                    let config = try PushConnection.Configuration(values)
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
