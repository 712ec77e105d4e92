import PushQueue

/// What a connection asks a Sentinel, and what the answer means.
struct RedisSentinelQuestion {
    private let sentinels: RedisSentinels
    private let place: String

    /// - Parameters:
    ///   - sentinels: Who is asked, and for what.
    ///   - place: How sentences call the Sentinel.
    init(_ sentinels: RedisSentinels, at place: String) { (self.sentinels, self.place) = (sentinels, place) }

    func commands(password: [UInt8]?) -> [RedisCommand] {
        let login = password.map { password in
            RedisCommand(words: [Array("AUTH".utf8)] + (sentinels.user.map { [Array($0.utf8)] } ?? []) + [password])
        }
        return [login, RedisCommand("SENTINEL", "GET-MASTER-ADDR-BY-NAME", sentinels.primary)].compactMap(\.self)
    }

    /// Where the primary is, or why the Sentinel does not say so; nil while replies are missing.
    func answer(in replies: [RedisReply]) -> Result<RedisNode, RedisFailure>? {
        if sentinels.password != nil, case .error(let text)? = replies.first {
            return .failure(refusedLogin(RedisErrorCode(text).word))
        }
        guard let reply = replies.dropFirst(sentinels.password == nil ? 0 : 1).first else { return nil }
        switch reply {
        case .array(let parts) where parts.count == 2:
            guard let host = parts[0].text, let port = parts[1].text.flatMap({ Int($0) }),
                let node = RedisNode(givenHost: host, port: port)
            else { return .failure(noAddress) }
            return .success(node)
        case .null: return .failure(unknownName)
        case .error(let text): return .failure(refusal(RedisErrorCode(text).word))
        default: return .failure(noAddress)
        }
    }

    private var unknownName: RedisFailure {
        RedisFailure(
            .refused,
            "\(place) watches no primary by the name \(sentinels.primary). Check the name after the / of the URL; "
                + "SENTINEL MASTERS lists those that it knows.")
    }

    private var noAddress: RedisFailure {
        RedisFailure(
            .refused, "\(place) answered with no address of a primary. Check that the port is a Sentinel's.")
    }

    private func refusedLogin(_ word: String) -> RedisFailure {
        RedisFailure(
            .refused,
            "\(place) refused the login of the user \(sentinels.user ?? "default") (\(word)). Check the Sentinels' user "
                + "and password; leave both out if they have none.")
    }

    private func refusal(_ word: String) -> RedisFailure {
        switch word {
        case "NOAUTH":
            RedisFailure(
                .refused,
                "\(place) asks for a password of its own. Give the Sentinels one; to pushctl, "
                    + "--queue-sentinel-password-file or PUSHCTL_QUEUE_SENTINEL_PASSWORD.")
        case "NOPERM":
            RedisFailure(
                .refused,
                "\(place) does not let its user \(sentinels.user ?? "default") ask. Let an administrator call there "
                    + "ACL SETUSER with the name and '+sentinel|get-master-addr-by-name'.")
        case "ERR":
            RedisFailure(
                .refused,
                "\(place) is no Sentinel: it does not know the command SENTINEL. Give a Sentinel's port, by default "
                    + "26379; for a server without Sentinels, write redis://.")
        default:
            RedisFailure(.unreachable, "\(place) did not say where the primary is (\(word)). See its log.")
        }
    }
}
