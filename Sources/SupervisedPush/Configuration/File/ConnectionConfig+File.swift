extension ConnectionConfig {
    /// Reads a configuration from a JSON file, as `pushctl --config` does.
    ///
    /// ```json
    /// {
    ///   "environment": "production",
    ///   "key": "AuthKey_ABC123DEFG.p8", "team-id": "DEF123GHIJ",
    ///   "topic": "com.example.app",
    ///   "timeout": 10
    /// }
    /// ```
    ///
    /// | names | values |
    /// |---|---|
    /// | `environment` | `production`, or `development`, which may also be called `sandbox` |
    /// | `host`, `port` | another endpoint |
    /// | `key`, `key-id`, `team-id` | signing key; or |
    /// | `certificate`, `private-key`; `p12` | provider certificate, |
    /// | `password-file` | whose first line is the password |
    /// | `trust-roots`, `proxy` | PEM; a URL, or `none`, the default here (pushctl's is the environment's) |
    /// | `topic`, `push-type`, `priority`, `collapse-id` | defaults of pushes |
    /// | `expiration` | a default, too: UNIX seconds, 0 for one attempt |
    /// | `headers` | an object of your own header fields |
    /// | `timeout`, `connect-timeout`, `backoff-ceiling` | seconds |
    /// | `resend-unknown`, `retry-status` | true or false; 0 to 19 |
    /// | `connections`, `max-outage`, `drain`, `management-port` | for pushctl; they change nothing here |
    /// | `named` | connections by name, see ``named(contentsOf:)`` |
    ///
    /// Paths are relative to the file's folder, and `~/` is the user's home folder. Omitted values have their documented
    /// defaults, and everything else can be set later.
    ///
    /// The file, and the password file if it names one, are read here, on the caller's thread; keys and certificates by
    /// `connect`.
    ///
    /// - Throws: ``ConnectError``: `configuration` if the file cannot be read, or contains an unknown name or a value
    ///   out of range, or not exactly one credential; `credential` if the password file cannot be read.
    public init(contentsOf path: String) throws(ConnectError) {
        try self.init(try ConfigurationFile(contentsOf: path))
    }

    /// Reads the named connections of a file, as ``init(contentsOf:)`` reads one.
    ///
    /// ```json
    /// {
    ///   "team-id": "DEF123GHIJ", "key": "AuthKey_ABC123DEFG.p8",
    ///   "named": {
    ///     "orders": { "topic": "com.example.orders" },
    ///     "news": { "topic": "com.example.news", "timeout": 5, "headers": { "x-gateway": "one" } }
    ///   }
    /// }
    /// ```
    /// What stands outside of `named` holds for all of them. Connect each under its name:
    ///
    /// ```swift
    /// for (name, config) in try ConnectionConfig.named(contentsOf: "push.json") {
    ///     try runtime.connect(name: name, config: config)
    /// }
    /// ```
    ///
    /// - Throws: ``ConnectError``, as ``init(contentsOf:)``; also if the file has no `named`.
    public static func named(contentsOf path: String) throws(ConnectError) -> [String: ConnectionConfig] {
        let file = try ConfigurationFile(contentsOf: path)
        guard !file.connections.isEmpty else {
            throw ConnectError(
                .configuration, "The configuration in \(path) names no connections: {\"named\": {\"orders\": {…}}, …}.")
        }
        var configs: [String: ConnectionConfig] = [:]
        for (name, connection) in file.connections { configs[name] = try ConnectionConfig(connection) }
        return configs
    }

    /// - Parameter secrets: Parts of the credential that the file does not name.
    package init(_ file: ConfigurationFile, secrets: InlineSecrets = InlineSecrets()) throws(ConnectError) {
        self.init(credential: try Credential(file, secrets))
        if let name = file.text(.environment), name != "production" { environment = .development }
        host = file.text(.host)
        port = file.integer(.port) ?? port
        if let roots = file.text(.trustRoots) { trust = .file(roots) }
        if let url = file.text(.proxy), url != "none" { proxy = try .url(url) }
        defaults.topic = file.text(.topic).map { Topic(rawValue: $0) }
        timeout = file.duration(.timeout) ?? timeout
        connectTimeout = file.duration(.connectTimeout) ?? connectTimeout
        if file.isSet(.resendUnknown) { resend = .resendUnknown }
        if let retries = file.integer(.retryStatus) { statusRetry = StatusRetryPolicy(retries: retries) }
        try addWhatOnlyFilesSay(file)
    }

    /// Adds what has no flag of pushctl's.
    package mutating func addWhatOnlyFilesSay(_ file: ConfigurationFile) throws(ConnectError) {
        backoffCeiling = file.duration(.backoffCeiling) ?? backoffCeiling
        defaults.pushType = file.text(.pushType).map { PushType(rawValue: $0) }
        defaults.priority = file.integer(.priority).map { PushPriority(rawValue: $0) }
        defaults.expiration = file.integer(.expiration).map { Expiration(unixSeconds: Int64($0)) }
        if let text = file.text(.collapseID) {
            do { defaults.collapseID = try CollapseID(text) } catch { throw file.refusal("collapse-id: \(error)") }
        }
        defaults.headers = file.headers ?? defaults.headers
        if let problem = defaults.headers.problem { throw file.refusal("headers: \(problem)") }
    }
}

/// Parts of a credential that are given as text instead of files.
package struct InlineSecrets: Sendable, Equatable {
    var key: String?
    var certificate: String?
    var privateKey: String?
    var password: String?

    package init(
        key: String? = nil, certificate: String? = nil, privateKey: String? = nil, password: String? = nil
    ) {
        (self.key, self.certificate, self.privateKey, self.password) = (key, certificate, privateKey, password)
    }
}

extension Credential {
    fileprivate init(_ file: ConfigurationFile, _ secrets: InlineSecrets) throws(ConnectError) {
        let key = try file.source(.key, or: secrets.key)
        let certificate = try file.source(.certificate, or: secrets.certificate)
        let privateKey = try file.source(.privateKey, or: secrets.privateKey)
        let password = try file.password(or: secrets.password)
        switch (key, certificate, try file.source(.p12, or: nil)) {
        case (let key?, nil, nil):
            guard let teamID = file.text(.teamID) else {
                throw file.refusal(
                    "it contains a key but no team-id, the team's ten characters in Apple's developer portal.")
            }
            self = .token(key: key, keyID: file.text(.keyID), teamID: teamID)
        case (nil, let certificate?, nil):
            self = .certificate(certificate, privateKey: privateKey, password: password)
        case (nil, nil, let p12?):
            self = .pkcs12(p12, password: password)
        default:
            throw file.refusal("it must contain one credential: key and team-id, certificate, or p12.")
        }
    }
}

extension ConfigurationFile {
    /// The file that a key names, or the text given instead of one.
    fileprivate func source(_ key: ConfigurationKey, or pem: String?) throws(ConnectError) -> ByteSource? {
        guard let pem else { return text(key).map { .file($0) } }
        guard !holds(key) else { throw refusal("it contains \(key.rawValue) and \(key.rawValue)-pem: leave one out.") }
        return .pem(pem)
    }

    fileprivate func password(or password: String?) throws(ConnectError) -> String? {
        guard let path = text(.passwordFile) else { return password }
        guard password == nil else { throw refusal("it contains password-file and password: leave one out.") }
        return try PasswordFile.password(path)
    }
}
