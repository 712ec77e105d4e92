import PushQueue
import PushQueueRedis
import PushTerminal

extension QueueLocation {
    /// The variable that contains the password of a server.
    static let passwordVariable = "PUSHCTL_QUEUE_PASSWORD"
    /// The variable that contains the password of the Sentinels.
    static let sentinelPasswordVariable = "PUSHCTL_QUEUE_SENTINEL_PASSWORD"

    /// What the command line says of a server, beside `--queue`.
    struct RedisFlags: Equatable, Sendable {
        var passwordFile: String?
        var trustRoots: String?
        var certificate: String?
        var key: String?
        var sentinelUser: String?
        var sentinelPasswordFile: String?

        private var forTLS: [(flag: String, value: String?)] {
            [("--queue-trust-roots", trustRoots), ("--queue-certificate", certificate), ("--queue-key", key)]
        }

        private var forSentinels: [(flag: String, value: String?)] {
            [("--queue-sentinel-user", sentinelUser), ("--queue-sentinel-password-file", sentinelPasswordFile)]
        }

        /// The first flag that was given.
        var first: String? {
            ([("--queue-password-file", passwordFile)] + forTLS + forSentinels).first { $0.value != nil }?.flag
        }

        /// The files, as a person calls them.
        var files: [(name: String, path: String?)] {
            [
                ("the file of --queue-password-file", passwordFile), ("the file of --queue-trust-roots", trustRoots),
                ("the file of --queue-certificate", certificate), ("the file of --queue-key", key),
                ("the file of --queue-sentinel-password-file", sentinelPasswordFile),
            ]
        }

        fileprivate func check(_ address: RedisServerAddress) throws(CommandError) {
            if !address.usesTLS, let flag = forTLS.first(where: { $0.value != nil })?.flag {
                throw .usage("\(flag) goes with TLS; write rediss\(address.sentinels == nil ? "" : "+sentinel")://.")
            }
            guard key == nil || certificate != nil else {
                throw .usage("--queue-key has no --queue-certificate; give the file of the certificate, too.")
            }
            if address.sentinels == nil, let flag = forSentinels.first(where: { $0.value != nil })?.flag {
                throw .usage("\(flag) goes with Sentinels; write redis+sentinel://HOST:PORT,HOST:PORT/NAME.")
            }
        }

        fileprivate var tls: RedisTLS { RedisTLS(rootsFile: trustRoots, certificateFile: certificate, keyFile: key) }
    }

    /// Understands the URL of a server, which has no password.
    ///
    /// - Parameter variable: The value of a variable of the environment.
    static func server(
        _ url: String, flags: RedisFlags, variable: (String) -> String?
    ) throws(CommandError) -> QueueLocation {
        guard !hasPassword(url) else {
            throw .usage("--queue has a password, which every user of this machine can read there; \(passwordAdvice).")
        }
        var address: RedisServerAddress
        do {
            // A file's name stands for any password, so that a user may stand alone in the URL.
            address = try RedisServerAddress(url: url, passwordFile: "")
        } catch {
            let form = "Write redis://USER@HOST:PORT/DATABASE; \(passwordAdvice)."
            throw .usage("--queue: \(error.description.replacing(RedisServerAddress.form, with: form))")
        }
        address.password = flags.passwordFile.map { .file($0) } ?? variable(passwordVariable).map { .text($0) }
        guard address.user == nil || address.password != nil else {
            throw .usage("--queue has a user but no password; \(passwordAdvice).")
        }
        try flags.check(address)
        if address.sentinels != nil {
            let password: RedisPassword? =
                flags.sentinelPasswordFile.map { .file($0) } ?? variable(sentinelPasswordVariable).map { .text($0) }
            guard flags.sentinelUser == nil || password != nil else {
                throw .usage(
                    "--queue-sentinel-user has no password; give it by --queue-sentinel-password-file or "
                        + "\(sentinelPasswordVariable).")
            }
            address.sentinels?.user = flags.sentinelUser
            address.sentinels?.password = password
        }
        return .redis(address, flags.tls)
    }

    private static let passwordAdvice = "give the password by --queue-password-file or \(passwordVariable)"

    static func isServer(_ text: String) -> Bool {
        guard let mark = text.firstRange(of: "://") else { return false }
        return ["redis", "rediss", "redis+sentinel", "rediss+sentinel"].contains(text[..<mark.lowerBound].lowercased())
    }

    /// Whether a URL has a password: it follows the first colon before the `@`.
    static func hasPassword(_ text: String) -> Bool {
        guard let start = text.firstRange(of: "://")?.upperBound else { return false }
        let authority = text[start...].prefix { $0 != "/" }
        guard let end = authority.lastIndex(of: "@"), let colon = authority[..<end].firstIndex(of: ":") else {
            return false
        }
        return authority.index(after: colon) < end
    }
}
