import FoundationEssentials
import PushCampaign
import PushQueue
import PushQueueRedis
import PushQueueSQLite
import PushTerminal

/// Where queues are: in a file, or on a server.
enum QueueLocation: Equatable, Sendable {
    /// The variable that contains the password of a server.
    static let passwordVariable = "PUSHCTL_QUEUE_PASSWORD"

    case file(String)
    case redis(RedisServerAddress, trustRoots: String?)

    /// Understands the value of `--queue`.
    ///
    /// - Parameters:
    ///   - text: A path, or a URL without a password: every user of the machine can read the command line.
    ///   - variable: The value of a variable of the environment.
    /// - Throws: Exit code 64.
    init(
        _ text: String, passwordFile: String? = nil, trustRoots: String? = nil,
        _ variable: (String) -> String? = EnvironmentVariable.value
    ) throws(CommandError) {
        guard Self.isServer(text) else {
            guard !text.isEmpty else { throw .usage("--queue is empty; name a file, or a server as redis://HOST.") }
            if let end = text.firstRange(of: "://") {
                throw .usage(
                    "--queue has the scheme \(text[..<end.lowerBound].prefix(20)); give redis, rediss or a file.")
            }
            guard !Self.looksLikeServer(text) else {
                throw .usage(
                    "--queue looks like a server and has no redis://; write redis://HOST:PORT/DATABASE, or rediss://… "
                        + "for TLS. For a file that is really called that, write ./ before its name.")
            }
            guard passwordFile == nil, trustRoots == nil else {
                throw .usage("--queue-password-file and --queue-trust-roots go with a queue on Redis, not with a file.")
            }
            self = .file(text)
            return
        }
        guard !Self.hasPassword(text) else {
            throw .usage(
                "--queue has a password, which every user of this machine can read there; \(Self.passwordAdvice).")
        }
        var address: RedisServerAddress
        do {
            // A file's name stands for any password, so that a user may stand alone in the URL.
            address = try RedisServerAddress(url: text, passwordFile: "")
        } catch {
            let form = "Write redis://USER@HOST:PORT/DATABASE; \(Self.passwordAdvice)."
            throw .usage("--queue: \(error.description.replacing(RedisServerAddress.form, with: form))")
        }
        address.password = passwordFile.map { .file($0) } ?? variable(Self.passwordVariable).map { .text($0) }
        guard address.user == nil || address.password != nil else {
            throw .usage("--queue has a user but no password; \(Self.passwordAdvice).")
        }
        guard trustRoots == nil || address.usesTLS else {
            throw .usage("--queue-trust-roots goes with TLS; write rediss://.")
        }
        self = .redis(address, trustRoots: trustRoots)
    }

    private static let passwordAdvice = "give the password by --queue-password-file or \(passwordVariable)"

    private static func isServer(_ text: String) -> Bool {
        let start = text.prefix(9).lowercased()
        return start.hasPrefix("redis://") || start.hasPrefix("rediss://")
    }

    /// Whether a text without `://` is an address with a slip, such as `redis:host` or `host:6379`. What lies there as
    /// a file, or has a folder before it, is a file. The text may have a password, so it is not shown.
    private static func looksLikeServer(_ text: String) -> Bool {
        let lowercased = text.lowercased()
        if ["redis:", "rediss:", "unix:", "redis+unix:", "valkey:", "valkeys:"].contains(where: lowercased.hasPrefix) {
            return true
        }
        guard let colon = text.lastIndex(of: ":"), !["/", "."].contains(text.first), FileIdentity(at: text) == nil
        else { return false }
        // A path may follow the port, as a database does in a URL.
        let port = text[text.index(after: colon)...].prefix { $0 != "/" }
        return UInt16(port) != nil || text.contains("@")
    }

    /// Whether a URL has a password: it follows the first colon before the `@`.
    private static func hasPassword(_ text: String) -> Bool {
        guard let start = text.firstRange(of: "://")?.upperBound else { return false }
        let authority = text[start...].prefix { $0 != "/" }
        guard let end = authority.lastIndex(of: "@"), let colon = authority[..<end].firstIndex(of: ":") else {
            return false
        }
        return authority.index(after: colon) < end
    }

    /// Whether it is a server, and not a file.
    var isServer: Bool {
        switch self {
        case .redis: true
        case .file: false
        }
    }
}

extension QueueLocation: CustomStringConvertible {
    /// For a person, without a user and a password.
    var description: String {
        switch self {
        case .file(let path): path
        case .redis(let address, _): address.description
        }
    }
}
