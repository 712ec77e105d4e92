import Configuration
import SupervisedPush

extension ConfigSnapshotReader {
    /// The settings, as a configuration file would have them.
    var settings: [String: JSONValue] {
        var settings: [String: JSONValue] = [:]
        for key in ConfigurationKey.allCases { settings[key.rawValue] = value(of: key) }
        return settings
    }

    /// The settings of the credential and the trusted authorities.
    var credentialSettings: [String: JSONValue] {
        let keys = ConfigurationKey.credentials.joined() + [.passwordFile, .trustRoots]
        var settings: [String: JSONValue] = [:]
        for key in keys { settings[key.rawValue] = value(of: key) }
        return settings
    }

    /// A value of another form than the key's is passed on as it is: the settings' check names it.
    private func value(of key: ConfigurationKey) -> JSONValue? { formed(key) ?? unformed(key) }

    private func formed(_ key: ConfigurationKey) -> JSONValue? {
        let (name, isSecret) = (ConfigKey(key.rawValue), key.mayContainSecret)
        switch key.form {
        case .text: return string(forKey: name, isSecret: isSecret).map { .string($0) }
        case .integer: return int(forKey: name).map { .integer($0) }
        case .number: return double(forKey: name).map { .double($0) } ?? int(forKey: name).map { .integer($0) }
        case .flag: return bool(forKey: name).map { .bool($0) }
        case .fields:
            guard let fields = stringArray(forKey: name, isSecret: isSecret) else { return nil }
            let pairs = fields.map { field -> (String, JSONValue) in
                let parts = field.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                let value = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : ""
                return (String(parts[0]), .string(value))
            }
            return .object(Dictionary(pairs) { _, last in last })
        }
    }

    private func unformed(_ key: ConfigurationKey) -> JSONValue? {
        let (name, isSecret) = (ConfigKey(key.rawValue), key.mayContainSecret)
        if let value = string(forKey: name, isSecret: isSecret) { return .string(value) }
        if let value = int(forKey: name, isSecret: isSecret) { return .integer(value) }
        if let value = double(forKey: name, isSecret: isSecret) { return .double(value) }
        if let value = bool(forKey: name, isSecret: isSecret) { return .bool(value) }
        return stringArray(forKey: name, isSecret: isSecret).map { .array($0.map { .string($0) }) }
    }

    /// Parts of the credential that are given as values instead of files.
    var secrets: InlineSecrets {
        InlineSecrets(
            key: secret("key-pem"), certificate: secret("certificate-pem"), privateKey: secret("private-key-pem"),
            password: secret("password"))
    }

    private func secret(_ name: String) -> String? { string(forKey: ConfigKey(name), isSecret: true) }
}

extension ConfigurationKey {
    /// A proxy's URL may have a password, and a header field a token: access reporters do not show them.
    fileprivate var mayContainSecret: Bool { self == .proxy || self == .headers }
}
