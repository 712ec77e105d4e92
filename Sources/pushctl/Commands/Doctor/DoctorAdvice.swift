import PushCampaign
import PushTerminal
import SupervisedPush

/// Likely causes of a failure, and what to do next.
struct DoctorAdvice {
    /// The code of a handshake that did not agree on HTTP/2.
    static let noHTTP2 = "noHTTP2"
    static let certificateNotYetValid = "certificateNotYetValid"
    /// The codes of a certificate whose dates do not fit this machine's clock. Issuer and host have been checked before.
    static let datesOfCertificates: Set<String> = ["certificateExpired", certificateNotYetValid]

    private let facts: DoctorFacts

    init(_ facts: DoctorFacts) { self.facts = facts }

    var resolve: String {
        facts.proxy == nil
            ? "In a network without DNS to the outside, give its proxy with --proxy: it resolves the name."
            : "This is the proxy's name: correct it, or give --proxy none."
    }

    var connect: String {
        if facts.proxy != nil { return "Check the proxy's host and port, and that it runs; or give --proxy none." }
        let ways =
            facts.port == 443
            ? "A firewall may block 443: try --port 2197. Where the network has a proxy, give it with --proxy."
            : "A firewall may block the port \(facts.port). Where the network has a proxy, give it with --proxy."
        return "Check that something listens on \(facts.endpoint). " + ways
    }

    func proxy(_ failure: DoctorFacts.Failure) -> String {
        switch failure.code {
        case "proxyAuthentication":
            "For example HTTPS_PROXY=\(facts.proxy?.hasPrefix("socks") == true ? "socks5" : "http")://user:pass@host:port."
        case "proxyForbidden", "socksNotAllowed":
            "Ask whoever runs the proxy to allow \(facts.endpoint); perhaps port 2197 is allowed (--port 2197)."
        default:
            "Check that this is a proxy of that kind (http:// or socks5://), and that it may reach \(facts.endpoint)."
        }
    }

    func tls(_ failure: DoctorFacts.Failure) -> String {
        switch failure.code {
        case "untrustedIssuer":
            "If the issuer named here is your company's, a proxy in between inspects TLS: exempt "
                + "\(facts.endpoint) from it, or give its authority with --trust-roots. If --trust-roots was given "
                + "and the server is Apple's, leave it out."
        case "wrongHost":
            "The name or the address leads to another server, or something in between answers in its place."
        case let code where Self.datesOfCertificates.contains(code): dates
        case "closedInHandshake", "ECONNRESET":
            "A firewall that looks into connections may cut this one: try --port 2197, or another network."
        case "protocolViolation":
            "Something other than APNs answers here, perhaps a proxy or a captive portal: check --host and --port."
        case Self.noTime:
            "Something takes connections and does not answer: a firewall or a proxy in between. Try --port 2197."
        default: "Check --host and --port, and what stands between this machine and the server."
        }
    }

    /// The code of a step that took too long.
    static let noTime = "noTime"

    var alpn: String {
        "APNs speaks HTTP/2 only. This is another server, or a proxy that inspects TLS and speaks HTTP/1.1: exempt "
            + "\(facts.endpoint) from it, or check --host and --port."
    }

    var settings: String {
        "TLS works, and no HTTP/2 link comes up: the server may be under maintenance, or a gateway or a proxy "
            + "in between does not speak HTTP/2 to the end. Try once more, then --port 2197 or another network."
    }

    var clock: String {
        "Its clock says \(UTC.text(facts.now)). Set it (NTP): APNs refuses provider tokens from another time."
    }

    var behind: String { "\(TokenClock.belief(facts.now, facts.clockSync)) It is behind. Set it (NTP)." }

    /// After a certificate whose dates do not fit. The failure itself says what to do about either.
    var dates: String { TokenClock.belief(facts.now, facts.clockSync) }

    var credentialFiles: String {
        "Nothing was shown to the server. Give the files that Apple's developer portal made for you: a .p8 key with "
            + "--key, --key-id and --team-id, or a certificate with its private key."
    }

    func credential(after reason: String?) -> String {
        guard facts.makesTokens, let doubt = TokenClock.doubt(reason, now: facts.now, sync: facts.clockSync) else {
            return credential
        }
        return "\(doubt) \(credential)"
    }

    private var credential: String {
        "Was the credential made for the \(facts.environment) environment (--environment), and not revoked in "
            + "Apple's developer portal? The route to the server is not the cause."
    }

    var topic: String {
        "Give --topic with the bundle id of an app of this team, spelled as in the developer portal; a key or a "
            + "certificate may be limited to other apps."
    }

    var foreign: String {
        "Check --host and --port. If they are right, a proxy or a gateway in between answers in APNs' place."
    }

    var push: String { "The route and the credential are not the cause. Try again later." }

    var noAnswer: String {
        "A link came up, and gave no answer: something in between may cut or hold it. Try again; --timeout S waits "
            + "longer, --port 2197 may go another way."
    }
}
