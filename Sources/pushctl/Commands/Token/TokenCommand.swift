import ArgumentParser
import PushInspection
import PushTerminal
import SupervisedPush

/// `pushctl token`: makes a provider token for use with `curl`.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print a provider token and its age limits.",
        discussion: """
            Example:
              curl --http2 -H "authorization: bearer $(pushctl token --profile orders)" …

            The token goes to standard output, its limits to standard error. It is a secret: with it, anyone can push \
            for an hour. APNs refuses more than one new token every 20 minutes.
            """)

    @OptionGroup var options: TokenOptions

    func run() throws {
        let say: @Sendable (String) -> Void = { StandardError.write($0) }
        let credential = Credential.token(
            key: .file(options.key), keyID: options.resolvedKeyID, teamID: options.teamID)
        let made: ProviderToken?
        do { made = try credential.makeProviderToken() } catch { throw CommandError(error) }
        guard let token = made else { throw CommandError.configuration("a certificate makes no provider token") }
        let text = options.curl ? Self.curl(token) : token.jwt
        try OutputFile.standardOutput.write(options.json ? Self.json(token) : Array((text + "\n").utf8))
        guard !options.json else { return }
        say("issued   \(UTC.text(token.seconds(at: .zero))) (iat \(token.seconds(at: .zero)))")
        say("renew    \(UTC.text(token.seconds(at: ProviderToken.renewalAge))), at 50 minutes; not before 20 minutes")
        say("expires  \(UTC.text(token.seconds(at: ProviderToken.maximumAge))), at 60 minutes")
    }

    /// One push by curl, in development.
    static func curl(_ token: ProviderToken) -> String {
        let words = [
            "curl --http2", "-H 'apns-topic: TOPIC'", "-H \(Quoting.shell("authorization: bearer \(token.jwt)"))",
            #"--data-raw '{"aps":{"alert":"Hello"}}'"#, "https://api.sandbox.push.apple.com/3/device/DEVICE_TOKEN",
        ]
        return words.joined(separator: " \\\n  ")
    }

    private static func json(_ token: ProviderToken) -> [UInt8] {
        var object = JSONLine()
        object.add("token", token.jwt)
        object.add("key_id", token.keyID)
        object.add("team_id", token.teamID)
        object.add("issued_at", token.seconds(at: .zero))
        object.add("renew_not_before", token.seconds(at: ProviderToken.minimumRenewalAge))
        object.add("renew_at", token.seconds(at: ProviderToken.renewalAge))
        object.add("expires_at", token.seconds(at: ProviderToken.maximumAge))
        return object.line
    }
}

extension ProviderToken {
    /// When it has this age, in seconds since 1970.
    fileprivate func seconds(at age: Duration) -> Int64 { issuedAtSeconds + age.components.seconds }
}
