import Configuration
import SupervisedPush

// Here, because this is the module's first file: the compiler goes no further than its first missing module.
#if !Configuration
    #error("PushConfiguration needs the trait Configuration: write traits: [\"Configuration\"] in your Package.swift")
#endif

extension ConfigSnapshotReader {
    /// The settings below the reader's scope, as a configuration file would have them.
    var settings: ConfigurationSettings { settings(of: ConfigurationKey.connection) }

    /// The settings of the credential and the trusted authorities.
    var credentialSettings: ConfigurationSettings {
        settings(of: ConfigurationKey.credentials.joined() + [.passwordFile, .trustRoots])
    }

    private func settings(of keys: [ConfigurationKey]) -> ConfigurationSettings {
        var settings = ConfigurationSettings([:])
        for key in keys {
            settings.members[key.rawValue] = value(of: key)
            if let name = key.inlineName { settings.inline[key] = string(forKey: ConfigKey(name), isSecret: true) }
        }
        return settings
    }

    /// How errors call the settings: by the dotted key, and by the variable that `EnvironmentVariablesProvider` reads.
    var origin: ConfigurationOrigin {
        let environment = EnvironmentVariablesProvider(environmentVariables: [:])
        return ConfigurationOrigin(scope: scope) { names in
            // What the provider itself says that it looked for; it does so whether or not there is a value.
            let found = try? environment.value(forKey: AbsoluteConfigKey(names), type: .string)
            return found?.encodedKey ?? ""
        }
    }

    /// The scope of the reader. It has no public name, so it is looked up by reflection. If a later version stores it
    /// elsewhere, errors show keys without their scope.
    private var scope: [String] {
        let prefix = Mirror(reflecting: self).descendant("keyPrefix", "some") as? AbsoluteConfigKey
        return prefix?.components ?? []
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
}

extension ConfigurationKey {
    /// A proxy's URL may have a password, and a header field a token: access reporters do not show them.
    fileprivate var mayContainSecret: Bool { self == .proxy || self == .headers }
}
