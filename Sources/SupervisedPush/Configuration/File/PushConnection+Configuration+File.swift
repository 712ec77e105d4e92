extension PushConnection.Configuration {
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
    /// | `queue`, `name`, those that begin with `queue-` | the same |
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
    /// for (name, config) in try PushConnection.Configuration.named(contentsOf: "push.json") {
    ///     try runtime.connect(name: name, config: config)
    /// }
    /// ```
    ///
    /// - Throws: ``ConnectError``, as ``init(contentsOf:)``; also if the file has no `named`.
    public static func named(contentsOf path: String) throws(ConnectError) -> [String: PushConnection.Configuration] {
        let file = try ConfigurationFile(contentsOf: path)
        guard !file.connections.isEmpty else {
            throw file.origin.refusal("it names no connections: {\"named\": {\"orders\": {…}}, …}.")
        }
        return try named(file)
    }

    /// The named connections of checked settings.
    package static func named(_ file: ConfigurationFile) throws(ConnectError) -> [String: PushConnection.Configuration]
    {
        var configs: [String: PushConnection.Configuration] = [:]
        for (name, connection) in file.connections { configs[name] = try PushConnection.Configuration(connection) }
        return configs
    }

    package init(_ file: ConfigurationFile) throws(ConnectError) {
        self.init(credential: try Credential(file))
        if let name = file.text(.environment), name != "production" { environment = .development }
        host = file.text(.host)
        port = file.integer(.port) ?? port
        if let roots = file.source(.trustRoots) { trust = .pem(roots) }
        if let url = file.text(.proxy), url != "none" {
            do { proxy = try .url(url) } catch { throw file.refusal(of: .proxy, ": \(error)", code: error.code) }
        }
        defaults.topic = file.text(.topic).map { Topic(rawValue: $0) }
        timeout = file.duration(.timeout) ?? timeout
        liveness.connectTimeout = file.duration(.connectTimeout) ?? liveness.connectTimeout
        if file.isSet(.resendUnknown) { retry.resend = .resendUnknown }
        if let retries = file.integer(.retryStatus) { retry.statusRetry = StatusRetryPolicy(retries: retries) }
        try addWhatOnlyFilesSay(file)
    }

    /// Adds what has no flag of pushctl's.
    package mutating func addWhatOnlyFilesSay(_ file: ConfigurationFile) throws(ConnectError) {
        retry.backoffCeiling = file.duration(.backoffCeiling) ?? retry.backoffCeiling
        defaults.pushType = file.text(.pushType).map { PushType(rawValue: $0) }
        defaults.priority = file.integer(.priority).map { PushPriority(rawValue: $0) }
        defaults.expiration = file.integer(.expiration).map { Expiration(unixSeconds: Int64($0)) }
        if let text = file.text(.collapseID) {
            do { defaults.collapseID = try CollapseID(text) } catch {
                throw file.refusal(of: .collapseID, ": \(error)")
            }
        }
        defaults.headers = file.headers ?? defaults.headers
        if let problem = defaults.headers.problem { throw file.refusal(of: .headers, ": \(problem)") }
    }
}

extension Credential {
    fileprivate init(_ file: ConfigurationFile) throws(ConnectError) {
        let password = try file.password
        switch (file.source(.key), file.source(.certificate), file.source(.p12)) {
        case (let key?, nil, nil):
            guard let teamID = file.text(.teamID) else {
                throw file.refusal(
                    of: .teamID, " is missing: a key needs the team's ten characters in Apple's developer portal.")
            }
            self = .token(key: key, keyID: file.text(.keyID), teamID: teamID)
        case (nil, let certificate?, nil):
            self = .certificate(certificate, privateKey: file.source(.privateKey), password: password)
        case (nil, nil, let p12?):
            self = .pkcs12(p12, password: password)
        default: throw file.notOneCredential
        }
    }
}

extension ConfigurationFile {
    /// The value of a key whose file may be given as a value, too.
    fileprivate func source(_ key: ConfigurationKey) -> ByteSource? {
        inline(key).map { .pem($0) } ?? text(key).map { .file($0) }
    }

    fileprivate var password: String? {
        get throws(ConnectError) {
            guard let path = text(.passwordFile) else { return inline(.passwordFile) }
            do { return try PasswordFile.password(path) } catch {
                throw refusal(of: .passwordFile, ": \(error)", code: error.code)
            }
        }
    }

    fileprivate var notOneCredential: ConnectError {
        let given = names(set: [.key, .certificate, .p12])
        let name = { (key: ConfigurationKey) in origin.name(of: key.rawValue) }
        return origin.refusal(
            "\(origin.subject) must contain one credential, and contains "
                + "\(given.isEmpty ? "none" : given.joined(separator: " and ")): give \(name(.key)) and "
                + "\(name(.teamID)), or \(name(.certificate)), or \(name(.p12)).")
    }
}

/// A secret in the first line of a file: the password of a certificate's key, or another one.
package enum PasswordFile {
    private static let limit = 4_096

    /// The first line without its end.
    ///
    /// - Parameter what: What it is, for errors.
    /// - Throws: `credential` if the file cannot be read, or its first line is longer than 4,096 bytes or not UTF-8.
    package static func password(_ path: String, what: String = "password") throws(ConnectError) -> String {
        let bytes = try text(path, what)
        var line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard line.count <= limit else {
            throw refusal(path, what, because: "its first line is longer than \(limit) bytes")
        }
        guard let password = String(validating: line, as: UTF8.self) else {
            throw refusal(path, what, because: "it is not UTF-8")
        }
        return password
    }

    private static func text(_ path: String, _ what: String) throws(ConnectError) -> [UInt8] {
        let bytes = try ByteSource.file(path).read(what)
        do throws(TextEncoding.Foreign) { return try TextEncoding.text(bytes, name: path) } catch {
            throw refusal(path, what, because: "it \(error.sentence)")
        }
    }

    private static func refusal(_ path: String, _ what: String, because why: String) -> ConnectError {
        ConnectError(.credential, "The \(what) in \(path) can't be read: \(why).")
    }
}
