import PushLocking
import PushTerminal
import SupervisedPush

/// Where a command's settings come from: a file, or a profile in the user's file of profiles.
struct ConfigurationSource: Hashable, Sendable {
    /// The files that were read. A pipe can be read only once.
    private static let files = Locked<[ConfigurationSource: ConfigurationFile]>([:])

    let path: String
    let profile: String?

    /// The flag that names it.
    var flag: String { profile == nil ? "--config" : "--profile" }

    init(path: String) {
        self.path = path
        profile = nil
    }

    /// A profile in `pushctl/config.json` in the user's folder for configurations.
    ///
    /// - Throws: Exit code 78 if the environment does not say where that is.
    init(
        profile: String, _ variable: (String) -> String? = EnvironmentVariable.value
    ) throws(CommandError) {
        path = try Self.pathOfProfiles(variable)
        self.profile = profile
    }

    /// The user's file of profiles.
    ///
    /// - Throws: Exit code 78 if the environment does not say where that is.
    static func pathOfProfiles(
        _ variable: (String) -> String? = EnvironmentVariable.value
    ) throws(CommandError) -> String {
        let folder: String
        // The XDG Base Directory Specification ignores a relative path.
        if let given = variable("XDG_CONFIG_HOME"), given.hasPrefix("/") {
            folder = given
        } else if let home = variable("HOME") {
            folder = home + "/.config"
        } else {
            throw .configuration("there is no file of profiles, because HOME is not set; set it, or give --config FILE")
        }
        return folder + "/pushctl/config.json"
    }

    /// The settings, which are read once.
    ///
    /// - Throws: Exit code 78 if the file cannot be read, or contains invalid settings.
    func file() throws(CommandError) -> ConfigurationFile {
        if let file = Self.files.withLock({ $0[self] }) { return file }
        do {
            let file = try ConfigurationFile(contentsOf: path, profile: profile)
            Self.files.withLock { $0[self] = file }
            return file
        } catch { throw .configuration(error.description) }
    }
}
