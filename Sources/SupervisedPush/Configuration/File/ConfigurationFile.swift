import Glibc

/// Settings as they were given, before they are checked.
package struct ConfigurationSettings: Sendable, Equatable {
    /// The values, by their names in a configuration file.
    package var members: [String: JSONValue]
    /// What is given instead of a file, by the key that would name the file.
    package var inline: [ConfigurationKey: String]

    package init(_ members: [String: JSONValue], inline: [ConfigurationKey: String] = [:]) {
        self.members = members
        self.inline = inline
    }

    /// Whether it is set, by its file or by its content.
    package func has(_ key: ConfigurationKey) -> Bool { members[key.rawValue] != nil || inline[key] != nil }

    /// Whether a credential is among them.
    fileprivate var hasCredential: Bool { ConfigurationKey.credentials.contains { has($0[0]) } }
}

/// An object of settings, checked. `PushConnection.Configuration(contentsOf:)` and `pushctl --config` read it from
/// JSON, `PushConnection.Configuration(reading:)` with swift-configuration.
package struct ConfigurationFile: Sendable {
    private static let limit = 1 << 20
    /// The member that contains the named connections.
    package static let named = "named"
    /// The member by which a simulator says where its inbox is. It is no setting of a connection.
    package static let inbox = "inbox"
    /// The member by which a simulator says where its export of metrics is. It is no setting of a connection.
    package static let metricsHost = "metrics-host"

    private(set) var origin: ConfigurationOrigin
    private var values: [ConfigurationKey: JSONValue] = [:]
    /// What is given instead of a file.
    private var inline: [ConfigurationKey: String] = [:]
    /// Where each setting comes from. A connection also has those that hold for all.
    private var origins: [ConfigurationKey: ConfigurationOrigin] = [:]
    /// The settings of each named connection; settings that it does not have come from the file.
    private(set) var connections: [String: ConfigurationFile] = [:]

    /// Reads and checks the file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - profile: The member that contains the settings, in a file of several profiles; nil if the file is the
    ///     settings. Only this profile is checked.
    ///   - others: Names of settings that another reader of the file takes.
    /// - Throws: ``ConnectError`` with the code `configuration` if the file cannot be read, is not a JSON object, has
    ///   no such profile, or contains an unknown name or an invalid value. A value that may contain a secret is not
    ///   shown.
    package init(
        contentsOf path: String, profile: String? = nil, besides others: Set<String> = []
    ) throws(ConnectError) {
        var (members, bytes) = try Self.object(in: path)
        origin = ConfigurationOrigin(path: path, bytes: bytes)
        if let profile {
            members = try settings(of: profile, among: members)
            origin = origin.entering(profile)
        }
        for name in others { members[name] = nil }
        let named = members.removeValue(forKey: Self.named)
        members[Self.inbox] = nil
        members[Self.metricsHost] = nil
        try add(ConfigurationSettings(members))
        guard let named else { return }
        guard case .object(let connections) = named else {
            throw origin.refusal(of: Self.named, " must be an object: the settings of each connection, by its name.")
        }
        for (name, settings) in connections.sorted(by: { $0.key < $1.key }) {
            guard !name.isEmpty, case .object(let members) = settings else {
                throw origin.entering(Self.named)
                    .refusal(of: "\"\(name.prefix(40))\"", " must have a name, and an object of settings.")
            }
            try add(ConfigurationSettings(members), of: name)
        }
    }

    /// The names of the profiles in a file of several, sorted. None of them is checked.
    ///
    /// - Throws: ``ConnectError`` with the code `configuration` if the file cannot be read, or is not a JSON object.
    package static func profiles(in path: String) throws(ConnectError) -> [String] {
        try object(in: path).0.keys.sorted()
    }

    /// Checks settings that do not come from a file.
    ///
    /// - Parameters:
    ///   - settings: What is set, for all named connections if there are any.
    ///   - named: What each named connection sets itself.
    ///   - origin: Where they come from.
    package init(
        _ settings: ConfigurationSettings, named: [String: ConfigurationSettings] = [:],
        from origin: ConfigurationOrigin
    ) throws(ConnectError) {
        self.origin = origin
        try add(settings)
        for (name, settings) in named.sorted(by: { $0.key < $1.key }) { try add(settings, of: name) }
    }

    private static func object(in path: String) throws(ConnectError) -> ([String: JSONValue], bytes: [UInt8]) {
        let bytes: [UInt8]
        do throws(ConnectError) {
            let content = try ByteSource.file(path).read("configuration")
            do throws(TextEncoding.Foreign) { bytes = try TextEncoding.text(content, name: path) } catch {
                throw ConnectError(.configuration, "The configuration in \(path) \(error.sentence).")
            }
        } catch {
            throw ConnectError(.configuration, error.description)
        }
        let problem = bytes.count > limit ? "is larger than 1 MiB" : JSONScanner.problem(inObject: bytes)
        guard problem == nil, case .object(let members)? = JSONValue(parsing: bytes) else {
            throw ConnectError(
                .configuration,
                "The configuration in \(path) \(problem ?? "cannot be read"); it must be a JSON object: "
                    + "{\"key\": \"…\", …}.")
        }
        return (members, bytes)
    }

    private func settings(
        of profile: String, among profiles: [String: JSONValue]
    ) throws(ConnectError) -> [String: JSONValue] {
        guard let settings = profiles[profile] else {
            let names = profiles.keys.sorted().joined(separator: ", ").prefix(200)
            throw origin.refusal(
                "it has no profile \"\(profile.prefix(40))\"; \(names.isEmpty ? "it is empty" : "its profiles are \(names)")."
            )
        }
        guard case .object(let members) = settings else {
            throw origin.refusal(of: profile, " must be an object of settings, as --config takes it.")
        }
        return members
    }

    /// Adds the settings of a named connection to those that hold for all.
    private mutating func add(_ settings: ConfigurationSettings, of name: String) throws(ConnectError) {
        var connection = self
        connection.connections = [:]
        connection.origin = origin.entering(Self.named, name)
        // Its own credential replaces the one for all, of whichever kind that is.
        if settings.hasCredential {
            for key in ConfigurationKey.credentials.joined() + [.passwordFile] where key != .teamID {
                connection.values[key] = nil
                connection.inline[key] = nil
            }
        }
        try connection.add(settings)
        connections[name] = connection
    }

    private mutating func add(_ settings: ConfigurationSettings) throws(ConnectError) {
        for (name, value) in settings.members.sorted(by: { $0.key < $1.key }) {
            guard let key = ConfigurationKey(rawValue: name) else {
                let known = ConfigurationKey.allCases.map(\.rawValue).joined(separator: ", ")
                throw origin.refusal(of: name, " is not a known name; the names are \(known).")
            }
            if let problem = key.problem(with: value) { throw origin.refusal(of: name, " \(problem).") }
            values[key] = value
            inline[key] = nil
            origins[key] = origin
        }
        for (key, text) in settings.inline.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let name = key.inlineName ?? key.rawValue
            guard settings.members[key.rawValue] == nil else {
                throw origin.refusal(
                    "\(origin.subject) contains \(origin.name(of: key.rawValue)) and \(origin.name(of: name)): "
                        + "leave one out.")
            }
            if text.isEmpty { throw origin.refusal(of: name, " must be a string that is not empty.") }
            values[key] = nil
            inline[key] = text
            origins[key] = origin
        }
    }

    /// The error for a setting, where it was set.
    ///
    /// - Parameter problem: What is wrong with it: it continues the setting's name.
    package func refusal(
        of key: ConfigurationKey, _ problem: String, code: ConnectError.Code = .configuration
    ) -> ConnectError {
        let name = inline[key] == nil ? key.rawValue : key.inlineName ?? key.rawValue
        return (origins[key] ?? origin).refusal(of: name, problem, code: code)
    }

    /// The names of those of these settings that are set.
    func names(set keys: [ConfigurationKey]) -> [String] {
        keys.compactMap { key in
            if inline[key] != nil { return key.inlineName.map { (origins[key] ?? origin).name(of: $0) } }
            return values[key] == nil ? nil : (origins[key] ?? origin).name(of: key.rawValue)
        }
    }

    /// What is set, as it stands there.
    package var settings: [(key: ConfigurationKey, value: JSONValue)] {
        ConfigurationKey.allCases.compactMap { key in values[key].map { (key, $0) } }
    }

    /// The text as it stands there.
    package func given(_ key: ConfigurationKey) -> String? { values[key]?.stringValue }

    package func holds(_ key: ConfigurationKey) -> Bool { values[key] != nil }

    /// The text; a path is relative to the current folder.
    package func text(_ key: ConfigurationKey) -> String? {
        guard let text = values[key]?.stringValue else { return nil }
        switch key.kind {
        case .path where !text.hasPrefix("/"): break
        case .place where !text.hasPrefix("/") && !text.contains("://"): break
        default: return text
        }
        if text.hasPrefix("~/"), let home = getenv("HOME") { return String(cString: home) + text.dropFirst() }
        guard let slash = origin.path.lastIndex(of: "/") else { return text }
        return origin.path[...slash] + text
    }

    /// What is given instead of the file.
    func inline(_ key: ConfigurationKey) -> String? { inline[key] }

    func integer(_ key: ConfigurationKey) -> Int? { values[key]?.integerValue }

    func duration(_ key: ConfigurationKey) -> Duration? { values[key]?.doubleValue.map { .seconds($0) } }

    /// The header fields, sorted by their names.
    var headers: RequestHeaders? {
        guard case .object(let fields)? = values[.headers] else { return nil }
        return RequestHeaders(
            fields.sorted { $0.key < $1.key }.compactMap { name, value in value.stringValue.map { (name, $0) } })
    }

    func isSet(_ key: ConfigurationKey) -> Bool { values[key] == .bool(true) }

    /// The content as flags and their values.
    ///
    /// - Parameter leavingOut: Names to leave out.
    package func arguments(leavingOut: Set<ConfigurationKey>) -> [String] {
        var arguments: [String] = []
        for key in ConfigurationKey.allCases where key.isFlag && !leavingOut.contains(key) {
            switch values[key] {
            case .string?: arguments += ["--\(key.rawValue)=\(text(key) ?? "")"]
            case .integer(let number)?: arguments.append("--\(key.rawValue)=\(number)")
            case .double(let number)?:
                arguments.append("--\(key.rawValue)=\(key.isInteger ? "\(Int(number))" : "\(number)")")
            case .bool(true)?: arguments.append("--\(key.rawValue)")
            default: break
            }
        }
        return arguments
    }
}

extension ConfigurationKey {
    fileprivate var isInteger: Bool {
        switch kind {
        case .integer, .count, .number: true
        case .text, .path, .place, .word, .seconds, .flag, .fields: false
        }
    }

    /// What is wrong with a value; nil if it is valid.
    fileprivate func problem(with value: JSONValue) -> String? {
        switch kind {
        case .text, .path, .place:
            value.stringValue?.isEmpty == false ? nil : "must be a string that is not empty"
        case .word(let words):
            value.stringValue.map(words.contains) == true ? nil : "must be \(words.joined(separator: " or "))"
        case .integer(let range):
            value.integerValue.map(range.contains) == true
                ? nil : "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .seconds:
            value.doubleValue.map { $0 == 0 ? self == .drain : (0.001...604_800).contains($0) } == true
                ? nil : "must be a number of seconds, more than 0 and at most a week"
        case .count:
            (value.integerValue.map { (1...1_000).contains($0) } ?? Self.isRange(value.stringValue)) == true
                ? nil : "must be a number of connections, 1 to 1000, or a range of them as \"2...8\""
        case .flag:
            if case .bool = value { nil } else { "must be true or false" }
        case .number(let numbers):
            value.integerValue.map(numbers.contains) == true
                ? nil : "must be \(numbers.map(String.init).joined(separator: " or "))"
        case .fields:
            if case .object(let fields) = value, fields.values.allSatisfy({ $0.stringValue != nil }) {
                nil
            } else {
                "must be an object of header fields: {\"name\": \"value\"}"
            }
        }
    }

    private static func isRange(_ text: String?) -> Bool {
        guard let parts = text?.split(separator: ".", omittingEmptySubsequences: false), parts.count == 4,
            parts[1].isEmpty, parts[2].isEmpty, let first = Int(parts[0]), let last = Int(parts[3])
        else { return false }
        return 1 <= first && first <= last && last <= 1_000
    }
}

extension JSONValue {
    /// The number, if this is one.
    fileprivate var doubleValue: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}
