import FoundationEssentials
import PushCampaign
import PushQueue
import PushQueueRedis
import PushQueueSQLite
import PushTerminal

/// Where queues are: in a file, or on a server.
enum QueueLocation: Equatable, Sendable {
    case file(String)
    case redis(RedisServerAddress, RedisTLS)

    /// Understands the value of `--queue`.
    ///
    /// - Parameters:
    ///   - text: A path, or a URL without a password: every user of the machine can read the command line.
    ///   - flags: What else is given of a server.
    ///   - variable: The value of a variable of the environment.
    /// - Throws: Exit code 64.
    init(
        _ text: String, flags: RedisFlags = RedisFlags(), variable: (String) -> String? = EnvironmentVariable.value
    ) throws(CommandError) {
        guard Self.isServer(text) else {
            guard !text.isEmpty else { throw .usage("--queue is empty; name a file, or a server as redis://HOST.") }
            if let end = text.firstRange(of: "://") {
                throw .usage(
                    "--queue has the scheme \(text[..<end.lowerBound].prefix(20)); give redis, rediss, redis+sentinel, rediss+sentinel or a file."
                )
            }
            guard !Self.looksLikeServer(text) else {
                throw .usage(
                    "--queue looks like a server and has no redis://; write redis://HOST:PORT/DATABASE, or rediss://… "
                        + "for TLS. For a file that is really called that, write ./ before its name.")
            }
            if let flag = flags.first { throw .usage("\(flag) goes with a queue on Redis, not with a file.") }
            self = .file(text)
            return
        }
        self = try Self.server(text, flags: flags, variable: variable)
    }

    private static let schemes = [
        "redis:", "rediss:", "redis+sentinel:", "rediss+sentinel:", "unix:", "redis+unix:", "valkey:", "valkeys:",
    ]

    /// Whether a text without `://` is an address with a slip, such as `redis:host` or `host:6379`. What lies there as
    /// a file, or has a folder before it, is a file. The text may have a password, so it is not shown.
    private static func looksLikeServer(_ text: String) -> Bool {
        let lowercased = text.lowercased()
        if Self.schemes.contains(where: lowercased.hasPrefix) { return true }
        guard let colon = text.lastIndex(of: ":"), !["/", "."].contains(text.first), FileIdentity(at: text) == nil
        else { return false }
        // A path may follow the port, as a database does in a URL.
        let port = text[text.index(after: colon)...].prefix { $0 != "/" }
        return UInt16(port) != nil || text.contains("@")
    }

    /// What is wrong with the place of a queue in a configuration, as the end of a sentence; nil if it is valid.
    static func problem(inFile text: String) -> String? {
        guard !hasPassword(text) else { return "has a password; give the file of it as queue-password-file." }
        // What goes with a server is looked at once all is known.
        let flags = isServer(text) ? RedisFlags(passwordFile: "") : RedisFlags()
        do throws(CommandError) { _ = try QueueLocation(text, flags: flags) { _ in nil } } catch {
            return error.message.replacing("--queue-", with: "queue-").replacing("--queue", with: "")
                .trimmingPrefix { $0 == " " || $0 == ":" }.description
        }
        return nil
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
