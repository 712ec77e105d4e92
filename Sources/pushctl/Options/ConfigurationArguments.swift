import PushTerminal
import SupervisedPush

/// Inserts the settings of a configuration before the flags, so that flags take precedence.
///
/// The configuration is that of `--config` or `--profile`, otherwise the file of the variable `PUSHCTL_CONFIG`.
enum ConfigurationArguments {
    /// The variable that names a file for commands without `--config` and `--profile`.
    static let variable = "PUSHCTL_CONFIG"

    /// The arguments, with the settings among them.
    ///
    /// A credential in the flags replaces the configuration's, of whichever kind that is.
    ///
    /// - Parameters:
    ///   - variable: The value of a variable of the environment.
    ///   - say: Gets a line about a setting that a variable replaces.
    /// - Throws: Exit code 64 for two configurations and for a password on the command line, 78 if one cannot be read or contains invalid values.
    static func expand(
        _ given: [String], _ variable: (String) -> String? = EnvironmentVariable.value,
        say: (String) -> Void = { StandardError.write($0) }
    ) throws(CommandError) -> [String] {
        let arguments = commandFirst(given)
        let flags = arguments.prefix { $0 != "--" }
        guard let command = arguments.first, let use = ConfigurationUse(of: command, flags) else { return arguments }
        let words = wordCount(command)
        try ProxyPassword.refuse(in: flags)
        guard flags.count >= words, flags[words - 1].first != "-" else { return arguments }
        let named = try source(in: flags, variable)
        if named == nil, use.isExplicit { return arguments }
        guard let source = named ?? variable(Self.variable).map({ ConfigurationSource(path: $0) }) else {
            return arguments
        }
        let file: ConfigurationFile
        do throws(CommandError) {
            file = try source.file()
            try use.check(file)
        } catch {
            // The help must work with a broken file, too.
            if flags.contains(where: { $0 == "-h" || $0.hasPrefix("--help") }) { return arguments }
            throw error
        }
        var displaced = use.others.union(displaced(by: flags, of: command))
        if use.takesQueue, file.holds(.queue) {
            let isNamed = variable(QueuePlace.variable) != nil
            // What belongs to the file's queue does not stay with another one.
            if isNamed || isGiven(.queue, in: flags) { displaced.formUnion(ConfigurationKey.queuePlace) }
            if isNamed, !isGiven(.queue, in: flags), let named {
                say("pushctl: \(QueuePlace.variable) says where the queue is, and not \(named.flag)")
            }
        }
        var settings = file.arguments(leavingOut: displaced)
        // What has no flag is read from the file later, so that its path must be known.
        if named == nil { settings.append("--config=\(source.path)") }
        return Array(arguments[..<words] + settings + arguments[words...])
    }

    /// `--config` and `--profile` may also stand before the command.
    private static func commandFirst(_ arguments: [String]) -> [String] {
        var count = 0
        while count < arguments.count, let name = ["--config", "--profile"].first(where: arguments[count].hasPrefix) {
            count += arguments[count] == name ? 2 : 1
        }
        guard count > 0, count < arguments.count else { return arguments }
        let command = arguments[count...].prefix(wordCount(arguments[count]))
        return Array(command + arguments[..<count] + arguments[(count + command.count)...])
    }

    /// A command of two words stays together.
    private static func wordCount(_ command: String) -> Int {
        ["channels", "metrics", "queue"].contains(command) ? 2 : 1
    }

    private static func source(
        in flags: ArraySlice<String>, _ variable: (String) -> String?
    ) throws(CommandError) -> ConfigurationSource? {
        switch (value(of: "--config", in: flags), value(of: "--profile", in: flags)) {
        case (_?, _?): throw .usage("--config and --profile exclude each other; give one. See --help.")
        case (let path?, nil): return ConfigurationSource(path: path)
        case (nil, let profile?): return try ConfigurationSource(profile: profile, variable)
        case (nil, nil): return nil
        }
    }

    static func value(of flag: String, in flags: ArraySlice<String>) -> String? {
        for (index, argument) in flags.enumerated() {
            if argument == flag, index + 1 < flags.count { return flags[flags.startIndex + index + 1] }
            if argument.hasPrefix(flag + "=") { return String(argument.dropFirst(flag.count + 1)) }
        }
        return nil
    }

    private static func isGiven(_ key: ConfigurationKey, in flags: ArraySlice<String>) -> Bool {
        flags.contains { $0 == "--\(key.rawValue)" || $0.hasPrefix("--\(key.rawValue)=") }
    }

    /// The names of a connection in the configuration that the flags replace.
    private static func displaced(by flags: ArraySlice<String>, of command: String) -> Set<ConfigurationKey> {
        func isGiven(_ key: ConfigurationKey) -> Bool { self.isGiven(key, in: flags) }
        var displaced: Set<ConfigurationKey> = []
        // There --port is the port of the management.
        if command == "channels", isGiven(.port) { displaced.insert(.managementPort) }
        let kinds = ConfigurationKey.credentials
        guard let given = kinds.first(where: { $0.first.map(isGiven) == true }) else { return displaced }
        displaced.formUnion(kinds.filter { $0 != given }.joined())
        switch given.first {
        // A signing key has no password, and its own file's name has its id. The team may be the same.
        case .key?: displaced.formUnion([.keyID, .passwordFile])
        case .certificate?: displaced.insert(.privateKey)
        default: break
        }
        return displaced
    }
}
