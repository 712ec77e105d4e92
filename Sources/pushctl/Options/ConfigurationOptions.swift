import ArgumentParser
import PushTerminal

/// The flags that name a command's settings. `ConfigurationArguments` has replaced them by the settings before they are
/// parsed.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        help: "A JSON file with the names of these flags; flags win. When left out: the file of PUSHCTL_CONFIG.",
        completion: .file(extensions: ["json"]))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "In place of --config: the settings of this name in ~/.config/pushctl/config.json.", valueName: "name"))
    var profile: String?

    init() {}

    /// Nil if there are only flags.
    func source() throws(CommandError) -> ConfigurationSource? {
        if let config { return ConfigurationSource(path: config) }
        guard let profile else { return nil }
        return try ConfigurationSource(profile: profile)
    }
}
