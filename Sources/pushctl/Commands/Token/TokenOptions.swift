import ArgumentParser

/// The arguments of `pushctl token`.
struct TokenOptions: ParsableArguments {
    @Option(help: "The signing key, a .p8 file.", completion: .file(extensions: ["p8"]))
    var key: String

    @Option(help: "The key's id. Taken from a file named AuthKey_<id>.p8 when left out.")
    var keyID: String?

    @Option(help: "The team's id.")
    var teamID: String

    @OptionGroup var settings: ConfigurationOptions

    @Flag(help: "A JSON line on standard output.")
    var json = false

    @Flag(help: "A command of curl that shows the token, with a topic and a device token to fill in.")
    var curl = false

    init() {}

    mutating func validate() throws {
        guard !json || !curl else { throw ValidationError("--json and --curl exclude each other.") }
        guard !teamID.isEmpty else { throw ValidationError("--team-id is empty.") }
        guard let id = resolvedKeyID, !id.isEmpty else {
            throw CredentialFiles.noKeyID(of: key)
        }
    }

    /// The given key id, or the one in the file's name. `validate` has checked that there is one.
    var resolvedKeyID: String? { keyID ?? CredentialFiles.keyID(fromFileName: key) }
}
