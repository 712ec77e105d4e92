import PushLocking
import SupervisedPush

/// Inserts the content of a configuration file before the flags, so that flags take precedence.
enum ConfigurationArguments {
    /// The arguments, with those of the file that `--config` names, if it is among them.
    ///
    /// A credential in the flags replaces the file's, of whichever kind that is.
    ///
    /// - Throws: Exit code 78 if the file cannot be read or contains invalid values.
    static func expand(_ arguments: [String]) throws(CommandError) -> [String] {
        guard let command = arguments.first, !command.hasPrefix("-"), let path = path(in: arguments) else {
            return arguments
        }
        let file = try file(at: path)
        // A command of two words stays together.
        let words = arguments.prefix(command == "channels" ? 2 : 1)
        return words + file.arguments(leavingOut: displaced(by: arguments)) + arguments.dropFirst(words.count)
    }

    /// The files that were read, by their paths: a pipe can be read only once.
    private static let files = Locked<[String: ConfigurationFile]>([:])

    /// The configuration file at this path, which is read once.
    ///
    /// - Throws: Exit 78 if it cannot be read, or contains what no configuration may.
    static func file(at path: String) throws(CommandError) -> ConfigurationFile {
        if let file = files.withLock({ $0[path] }) { return file }
        do {
            let file = try ConfigurationFile(contentsOf: path)
            files.withLock { $0[path] = file }
            return file
        } catch { throw .configuration(error.description) }
    }

    private static func path(in arguments: [String]) -> String? {
        let flags = arguments.prefix { $0 != "--" }
        for (index, argument) in flags.enumerated() {
            if argument == "--config", index + 1 < flags.count { return flags[index + 1] }
            if argument.hasPrefix("--config=") { return String(argument.dropFirst("--config=".count)) }
        }
        return nil
    }

    /// The names in the file that a credential in the flags replaces.
    private static func displaced(by arguments: [String]) -> Set<ConfigurationKey> {
        func isGiven(_ key: ConfigurationKey) -> Bool {
            arguments.contains { $0 == "--\(key.rawValue)" || $0.hasPrefix("--\(key.rawValue)=") }
        }
        let kinds = ConfigurationKey.credentials
        guard let given = kinds.first(where: { $0.first.map(isGiven) == true }) else { return [] }
        var displaced = Set(kinds.filter { $0 != given }.joined())
        switch given.first {
        // A signing key has no password, and its own file's name has its id. The team may be the same.
        case .key?: displaced.formUnion([.keyID, .passwordFile])
        case .certificate?: displaced.insert(.privateKey)
        default: break
        }
        return displaced
    }
}
