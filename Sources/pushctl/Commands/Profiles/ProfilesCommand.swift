import ArgumentParser
import PushCampaign
import PushTerminal
import SupervisedPush

/// `pushctl profiles`: lists what `--profile` can name.
struct ProfilesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profiles",
        abstract: "Print the profiles, what each sets, and what a command without --profile takes.",
        discussion: """
            Profiles are the members of ~/.config/pushctl/config.json. The configuration of PUSHCTL_CONFIG, which a command \
            takes that names none, comes first. Of header fields the names are shown, of a proxy no password. Exit codes: \
            0 all can be used, 78 one cannot.
            """)

    @Flag(help: "JSON lines on standard output.") var json = false

    func run() throws {
        let list = try ProfileList()
        for line in list.lines {
            try Listing.print(json ? line.json : Array((line.text + "\n").utf8))
        }
        if let note = list.note { StandardError.write("pushctl: \(note)".onOneLine) }
        if list.lines.contains(where: { $0.problem != nil }) { throw ExitCode(ExitStatus.configuration.rawValue) }
    }
}

/// The configurations that a command can take without a path.
struct ProfileList {
    /// The configuration of the variable, then the profiles by name.
    private(set) var lines: [ProfileLine] = []
    /// What is to be said about what is not there.
    private(set) var note: String?

    /// - Parameter variable: The value of a variable of the environment.
    /// - Throws: Exit code 78 if the file of profiles cannot be read.
    init(_ variable: (String) -> String? = EnvironmentVariable.value) throws(CommandError) {
        if let path = variable(ConfigurationArguments.variable) {
            lines.append(ProfileLine(ConfigurationSource(path: path)))
        }
        let path = try ConfigurationSource.pathOfProfiles(variable)
        guard FileIdentity(at: path) != nil else {
            note = "there is no file of profiles; \(path) would have them, as {\"NAME\": {\"key\": \"…\", …}, …}"
            return
        }
        let names: [String]
        do { names = try ConfigurationFile.profiles(in: path) } catch { throw .configuration(error.description) }
        for name in names { lines.append(ProfileLine(try ConfigurationSource(profile: name, variable))) }
        if names.isEmpty { note = "\(path) has no profile" }
    }
}

/// What a configuration sets, for a person or for a script. It has no secret.
struct ProfileLine {
    private let source: ConfigurationSource
    private let settings: [(key: ConfigurationKey, value: JSONValue)]
    /// Why a command could not take it; nil if it could.
    let problem: String?

    init(_ source: ConfigurationSource) {
        self.source = source
        do throws(CommandError) {
            let file = try source.file()
            try ConfigurationUse.ofQueue.check(file)
            (settings, problem) = (file.settings, nil)
        } catch {
            (settings, problem) = ([], error.message)
        }
    }

    /// `orders: key AuthKey_ABC123DEFG.p8, team-id DEF123GHIJ`
    var text: String {
        let subject = source.profile ?? "\(source.path), without --profile"
        let values = settings.map { "\($0.key.rawValue) \(Self.shown($0.key, $0.value))" }.joined(separator: ", ")
        return "\(subject): \(problem ?? (values.isEmpty ? "sets nothing" : values))".onOneLine
    }

    var json: [UInt8] {
        var object = JSONLine()
        object.add("profile", source.profile)
        object.add("file", source.path)
        object.add("default", source.profile == nil)
        object.add("problem", problem)
        var members = JSONLine()
        for (key, value) in settings {
            switch value {
            case .bool(let flag): members.add(key.rawValue, flag)
            case .integer(let number): members.add(key.rawValue, number)
            default: members.add(key.rawValue, Self.shown(key, value))
            }
        }
        return object.line(ending: [("settings", members.line)])
    }

    private static func shown(_ key: ConfigurationKey, _ value: JSONValue) -> String {
        switch value {
        // A description of a proxy has no password.
        case .string(let url) where key == .proxy && url != "none": (try? ProxySetting.url(url))?.description ?? "…"
        case .string(let text): text
        case .bool(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .object(let fields): fields.keys.sorted().joined(separator: " ")
        case .null, .array: ""
        }
    }
}
