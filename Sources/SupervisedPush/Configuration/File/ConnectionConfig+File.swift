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
    /// Its names are those of pushctl's connection flags: `environment` (`production` or `development`), `host`,
    /// `port`; `key`, `key-id`, `team-id`; `certificate`, `private-key`; `p12`; `password-file`, whose first line is
    /// the password; `trust-roots`; `proxy` (a URL, or `none`, the default here; pushctl's is the environment's);
    /// `topic`; `timeout` and `connect-timeout` in seconds; `resend-unknown` (true or false); `retry-status` (0 to 19).
    /// `connections`, `max-outage` and `drain` are for pushctl and change nothing here. Paths are relative to the
    /// file's folder. Omitted values have their documented defaults, and everything else can be set later.
    ///
    /// The file, and the password file if it names one, are read here, on the caller's thread; keys and certificates by
    /// `connect`.
    ///
    /// - Throws: ``ConnectError``: `configuration` if the file cannot be read, or contains an unknown name or a value
    ///   out of range, or not exactly one credential; `credential` if the password file cannot be read.
    public init(contentsOf path: String) throws(ConnectError) {
        let file = try ConfigurationFile(contentsOf: path)
        self.init(credential: try Credential(file, path))
        if file.text(.environment) == "development" { environment = .development }
        host = file.text(.host)
        port = file.integer(.port) ?? port
        if let roots = file.text(.trustRoots) { trust = .file(roots) }
        if let url = file.text(.proxy), url != "none" { proxy = try .url(url) }
        defaults.topic = file.text(.topic).map { Topic(rawValue: $0) }
        timeout = file.duration(.timeout) ?? timeout
        connectTimeout = file.duration(.connectTimeout) ?? connectTimeout
        if file.isSet(.resendUnknown) { resend = .resendUnknown }
        if let retries = file.integer(.retryStatus) { statusRetry = StatusRetryPolicy(retries: retries) }
    }
}

extension Credential {
    fileprivate init(_ file: ConfigurationFile, _ path: String) throws(ConnectError) {
        func refusal(_ what: String) -> ConnectError {
            ConnectError(.configuration, "The configuration in \(path) \(what)")
        }
        let given = [ConfigurationKey.key, .certificate, .p12].filter(file.holds)
        guard given.count == 1 else {
            throw refusal("must contain one credential: key and team-id, certificate, or p12.")
        }
        let password = try file.text(.passwordFile).map { path throws(ConnectError) in try PasswordFile.password(path) }
        if let key = file.text(.key) {
            guard let teamID = file.text(.teamID) else {
                throw refusal("contains a key but no team-id, the team's ten characters in Apple's developer portal.")
            }
            self = .token(key: .file(key), keyID: file.text(.keyID), teamID: teamID)
        } else if let certificate = file.text(.certificate) {
            let privateKey = file.text(.privateKey).map { ByteSource.file($0) }
            self = .certificate(.file(certificate), privateKey: privateKey, password: password)
        } else {
            self = .pkcs12(.file(file.text(.p12) ?? ""), password: password)
        }
    }
}
