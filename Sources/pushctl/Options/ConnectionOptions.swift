import ArgumentParser
import PushCampaign
import PushTerminal
import SupervisedPush

/// The flags that say where to connect, with which credential, and for how long to try; the same for every command that
/// connects.
struct ConnectionOptions: ParsableArguments {
    @Option(help: "The service to push to; chooses the host.")
    var environment = EnvironmentName.production

    @Option(help: "Any other host, by name or address, in place of the environment's.")
    var host: String?

    @Option(
        name: .customLong("port"),
        help: ArgumentHelp(
            "The port: 443 when left out, for channels the environment's; 2197 passes firewalls that block 443.",
            valueName: "port"))
    var givenPort: Int?

    @Option(help: ArgumentHelp("For channels: the port in place of --port.", valueName: "port"))
    var managementPort: Int?

    @Option(help: "Provider token: the signing key, a .p8 file.", completion: .file(extensions: ["p8"]))
    var key: String?

    @Option(help: "Provider token: the key's id. Taken from a file named AuthKey_<id>.p8 when left out.")
    var keyID: String?

    @Option(help: "Provider token: the team's id.")
    var teamID: String?

    @Option(help: "Provider certificate, PEM or DER; a PEM file may also contain the private key.", completion: .file())
    var certificate: String?

    @Option(help: "The certificate's private key, PEM or DER.", completion: .file())
    var privateKey: String?

    @Option(
        name: .customLong("p12"), help: "Provider certificate and private key, a PKCS#12 file.", completion: .file())
    var p12: String?

    @Option(
        help: "The file whose first line is the password of --p12 or --private-key; else PUSHCTL_PASSWORD.",
        completion: .file())
    var passwordFile: String?

    @Option(help: "Root certificates to trust in place of the system's, a PEM file.", completion: .file())
    var trustRoots: String?

    @Option(
        help: ArgumentHelp(
            "http://host:port, socks5://… or none. When left out: HTTPS_PROXY, ALL_PROXY and NO_PROXY, where the URL may "
                + "have a user and a password.",
            valueName: "url"))
    var proxy: String?

    @Option(help: "The default apns-topic, usually the app's bundle id; needed with --key.")
    var topic: String?

    @Option(help: ArgumentHelp("Connections: one, N of a pool, or N...M as the load asks for.", valueName: "n"))
    var connections = ConnectionCount.one

    @Option(help: "Seconds until a push without an answer has timed out.")
    var timeout = Seconds(10)

    @Option(help: "Seconds for one attempt to connect.")
    var connectTimeout = Seconds(15)

    @Option(help: "Seconds without a link after which the command gives up.")
    var maxOutage = Seconds(300)

    @Flag(help: "Also resend what may have been processed; a device may get it twice.")
    var resendUnknown = false

    @Option(
        help: ArgumentHelp(
            "Retries of a push that is answered 429, 500 or 503; at most 19. All retries are at most a tenth of the "
                + "pushes, and stop for 30 s when half of the answers are 500 or 503.", valueName: "n"))
    var retryStatus = 0

    @OptionGroup var settings: ConfigurationOptions

    @Option(help: "Seconds for pushes under way to end after a signal.")
    var drain = Seconds(10)

    @Flag(name: .shortAndLong, help: "Also print the library's own messages, and its flight record where it fails.")
    var verbose = false

    @OptionGroup var log: LogOptions

    init() {}

    /// Where pushes go.
    var port: Int { givenPort ?? 443 }

    mutating func validate() throws {
        guard connections.range.upperBound <= 1_000 else {
            throw ValidationError("--connections \(connections.range.upperBound) is too many; give at most 1000.")
        }
        if let host { try Self.check(host: host) }
        for (name, port) in [("--port", port), ("--management-port", managementPort ?? port)]
        where !(1...65535).contains(port) {
            throw ValidationError("\(name) \(port) is not a port; give a number from 1 to 65535.")
        }
        if topic?.isEmpty == true {
            throw ValidationError("--topic is empty; give the app's bundle id or leave it out.")
        }
        guard timeout.value > 0, connectTimeout.value > 0, maxOutage.value > 0 else {
            throw ValidationError("--timeout, --connect-timeout and --max-outage need more than 0 seconds.")
        }
        guard (0...19).contains(retryStatus) else {
            throw ValidationError("--retry-status \(retryStatus) is out of range; give a number from 0 to 19.")
        }
        do { _ = try proxySetting() } catch { throw ValidationError(error.message) }
        if namesCredential { _ = try CredentialFiles(self) }
    }

    /// Whether any flag of a credential is given.
    var namesCredential: Bool {
        [key, keyID, teamID, certificate, privateKey, p12, passwordFile].contains { $0 != nil }
    }

    /// For every command that connects, because every connection needs a credential.
    func requireCredential() throws { _ = try CredentialFiles(self) }

    /// The proxy that the flag names, otherwise the environment's.
    func proxySetting() throws(CommandError) -> ProxySetting {
        guard let proxy else { return .fromEnvironment }
        if proxy == "none" { return .none }
        do { return try .url(proxy) } catch { throw .usage("--proxy: \(error.description)") }
    }

    /// The key or certificate to use. `requireCredential` has checked that there is one.
    func credential() throws(CommandError) -> CredentialFiles {
        do {
            return try CredentialFiles(self)
        } catch {
            throw .usage(error.message)
        }
    }

    /// Provider tokens have no topic, so with `--key` one must come from another flag or from the records.
    func requireTopic(recordsMayNameOne: Bool) throws(CommandError) {
        guard key != nil, topic == nil, !recordsMayNameOne else { return }
        throw .usage("--key needs a topic; give --topic with the app's bundle id.")
    }

    private static func check(host: String) throws {
        guard !host.isEmpty, !host.contains("/"), !host.contains(where: \.isWhitespace) else {
            throw ValidationError(
                "--host '\(host)' is not a host; give a name or an address without https:// and path."
            )
        }
        // One colon separates a port; an IPv6 address has more.
        guard host.count(where: { $0 == ":" }) != 1 else {
            throw ValidationError("--host '\(host)' contains a port; give the port with --port.")
        }
    }
}

extension ConnectionOptions {
    /// The files that these flags name, and those of the configuration that a flag replaces.
    var files: NamedFiles {
        var files = NamedFiles()
        for (flag, path) in [
            ("--key", key), ("--certificate", certificate), ("--private-key", privateKey), ("--p12", p12),
            ("--password-file", passwordFile), ("--trust-roots", trustRoots),
        ] {
            files.add("the file of \(flag)", path: path)
        }
        guard let source = try? settings.source() else { return files }
        files.add("the file of \(source.flag)", path: source.path)
        guard let configuration = try? source.file() else { return files }
        for name in ConfigurationKey.allCases where name.isPath {
            files.add("the \(name.rawValue) of \(source.path)", path: configuration.text(name))
        }
        return files
    }
}

/// Apple's two services, under the flag's names.
enum EnvironmentName: String, ExpressibleByArgument, CaseIterable, Sendable {
    case production
    case development

    /// Apple calls it the sandbox in the name of its host.
    init?(argument: String) { self.init(rawValue: argument == "sandbox" ? "development" : argument) }
}

/// `N` or `N...M` connections.
struct ConnectionCount: ExpressibleByArgument, Equatable, Sendable {
    let range: ClosedRange<Int>

    static let one = ConnectionCount(range: 1...1)
    var defaultValueDescription: String { "1" }

    private init(range: ClosedRange<Int>) {
        self.range = range
    }

    init?(argument: String) {
        let ends = argument.split(separator: ".", omittingEmptySubsequences: false)
        switch ends.count {
        case 1:
            guard let count = Int(argument), count > 0 else { return nil }
            range = count...count
        case 4 where ends[1].isEmpty && ends[2].isEmpty:
            guard let first = Int(ends[0]), let last = Int(ends[3]), 0 < first, first <= last else { return nil }
            range = first...last
        default:
            return nil
        }
    }
}

/// A time on the command line: seconds, possibly with a fraction, at most a week.
struct Seconds: ExpressibleByArgument, Equatable, Sendable {
    static let longest = 604_800.0
    let value: Double

    init(_ value: Double) {
        self.value = value
    }

    init?(argument: String) {
        // Only digits and a period: no hexadecimal, no exponent, no infinity.
        guard argument.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }),
            let value = Double(argument), (0...Self.longest).contains(value)
        else { return nil }
        self.value = value
    }

    var duration: Duration { .seconds(value) }

    var defaultValueDescription: String {
        value == value.rounded() ? String(Int(value)) : String(value)
    }
}
