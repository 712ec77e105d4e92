import ArgumentParser
import PushTerminal
import SupervisedPush

/// The flags that name a command's settings. `ConfigurationArguments` has replaced them by the settings before they are
/// parsed.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        help: "A JSON file with the names of these flags; flags win. When left out: the file of PUSHCTL_CONFIG.",
        completion: .file(extensions: ["json"]))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "In place of --config: the settings of this name in ~/.config/pushctl/config.json.", valueName: "name"),
        completion: .custom { _, _, _ in ConfigurationOptions.profiles() })
    var profile: String?

    init() {}

    /// The names of the profiles, for a shell that completes one; none if the file cannot be read.
    private static func profiles() -> [String] {
        guard let path = try? ConfigurationSource.pathOfProfiles(),
            let names = try? ConfigurationFile.profiles(in: path)
        else { return [] }
        return names.filter { $0 == $0.onOneLine }
    }

    /// Nil if there are only flags.
    func source() throws(CommandError) -> ConfigurationSource? {
        if let config { return ConfigurationSource(path: config) }
        guard let profile else { return nil }
        return try ConfigurationSource(profile: profile)
    }
}
