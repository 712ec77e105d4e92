import Glibc

/// A JSON object of settings, checked. `ConnectionConfig(contentsOf:)` and `pushctl --config` read it.
package struct ConfigurationFile: Sendable {
    private static let limit = 1 << 20
    /// The member that contains the named connections.
    private static let named = "named"

    let path: String
    private var values: [ConfigurationKey: JSONValue] = [:]
    /// The settings of each named connection; settings that it does not have come from the file.
    private(set) var connections: [String: ConfigurationFile] = [:]

    /// Reads and checks the file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - profile: The member that contains the settings, in a file of several profiles; nil if the file is the
    ///     settings. Only this profile is checked.
    ///   - others: Names of settings that another reader of the file takes.
    /// - Throws: ``ConnectError`` with the code `configuration` if the file cannot be read, is not a JSON object, has no
    ///   such profile, or contains an unknown name or an invalid value. A value that may contain a secret is not shown.
    package init(
        contentsOf path: String, profile: String? = nil, besides others: Set<String> = []
    ) throws(ConnectError) {
        self.path = path
        var members = try Self.object(in: path)
        if let profile { members = try settings(of: profile, among: members) }
        for name in others { members[name] = nil }
        let named = members.removeValue(forKey: Self.named)
        try add(members, of: nil)
        guard let named else { return }
        guard case .object(let connections) = named else {
            throw refusal("\(Self.named) must be an object: the settings of each connection, by its name.")
        }
        for (name, settings) in connections.sorted(by: { $0.key < $1.key }) {
            guard !name.isEmpty, case .object(let members) = settings else {
                throw refusal("\(Self.named): \"\(name.prefix(40))\" must have a name, and an object of settings.")
            }
            var connection = self
            connection.connections = [:]
            // Its own credential replaces the file's, of whichever kind that is.
            if ConfigurationKey.credentials.contains(where: { members[$0[0].rawValue] != nil }) {
                let credentials = ConfigurationKey.credentials.joined() + [.passwordFile]
                for key in credentials where key != .teamID { connection.values[key] = nil }
            }
            try connection.add(members, of: name)
            self.connections[name] = connection
        }
    }

    private static func object(in path: String) throws(ConnectError) -> [String: JSONValue] {
        let bytes: [UInt8]
        do { bytes = try ByteSource.file(path).read("configuration") } catch {
            throw ConnectError(.configuration, error.description)
        }
        let problem = bytes.count > limit ? "is larger than 1 MiB" : JSONScanner.problem(inObject: bytes)
        guard problem == nil, case .object(let members)? = JSONValue(parsing: bytes) else {
            throw ConnectError(
                .configuration,
                "The configuration in \(path) \(problem ?? "cannot be read"); it must be a JSON object: "
                    + "{\"key\": \"…\", …}.")
        }
        return members
    }

    private func settings(
        of profile: String, among profiles: [String: JSONValue]
    ) throws(ConnectError) -> [String: JSONValue] {
        guard let settings = profiles[profile] else {
            let names = profiles.keys.sorted().joined(separator: ", ").prefix(200)
            throw refusal(
                "it has no profile \"\(profile.prefix(40))\"; \(names.isEmpty ? "it is empty" : "its profiles are \(names)")."
            )
        }
        guard case .object(let members) = settings else {
            throw refusal("\"\(profile.prefix(40))\" must be an object of settings, as --config takes it.")
        }
        return members
    }

    /// Checks settings that do not come from a file.
    package init(_ settings: [String: JSONValue]) throws(ConnectError) {
        path = ""
        try add(settings, of: nil)
    }

    /// - Parameter connection: Whose settings they are; nil for those of the file.
    private mutating func add(_ members: [String: JSONValue], of connection: String?) throws(ConnectError) {
        let place = connection.map { "\"\($0.prefix(40))\": " } ?? ""
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let key = ConfigurationKey(rawValue: name) else {
                let known = ConfigurationKey.allCases.map(\.rawValue).joined(separator: ", ")
                throw refusal("\(place)\"\(name.prefix(40))\" is not a known name; the names are \(known).")
            }
            if let problem = key.problem(with: value) { throw refusal("\(place)\(name) \(problem).") }
            values[key] = value
        }
    }

    func refusal(_ what: String) -> ConnectError {
        ConnectError(.configuration, "The configuration\(path.isEmpty ? "" : " in \(path)"): \(what)")
    }

    package func holds(_ key: ConfigurationKey) -> Bool { values[key] != nil }

    /// The text; a path is relative to the current folder.
    package func text(_ key: ConfigurationKey) -> String? {
        guard let text = values[key]?.stringValue else { return nil }
        guard case .path = key.kind, !text.hasPrefix("/") else { return text }
        if text.hasPrefix("~/"), let home = getenv("HOME") { return String(cString: home) + text.dropFirst() }
        guard let slash = path.lastIndex(of: "/") else { return text }
        return path[...slash] + text
    }

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
        case .text, .path, .word, .seconds, .flag, .fields: false
        }
    }

    /// What is wrong with a value; nil if it is valid.
    fileprivate func problem(with value: JSONValue) -> String? {
        switch kind {
        case .text, .path:
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
