import PushCampaign
import PushTerminal
import SupervisedPush

/// What was seen on the walk through the layers. A nil value was not reached.
struct DoctorFacts: Sendable {
    /// Why a step failed.
    struct Failure: Error, Sendable, Equatable {
        /// A short name: `ECONNREFUSED`, `untrustedIssuer`.
        let code: String
        let sentence: String

        init(_ code: String, _ sentence: String) {
            self.code = code
            self.sentence = sentence
        }
    }

    struct Step<Value: Sendable>: Sendable {
        let duration: Duration?
        let result: Result<Value, Failure>

        init(_ duration: Duration?, _ result: Result<Value, Failure>) {
            self.duration = duration
            self.result = result
        }

        var failure: Failure? { if case .failure(let failure) = result { failure } else { nil } }
    }

    /// One of the name's addresses, and the result of connecting to it.
    struct Address: Sendable, Equatable {
        let literal: String
        let duration: Duration
        /// Nil: it connected.
        let problem: String?

        init(_ literal: String, after duration: Duration, problem: String? = nil) {
            self.literal = literal
            self.duration = duration
            self.problem = problem
        }
    }

    struct Handshake: Sendable, Equatable {
        var version: String
        var cipher: String
        var applicationProtocol: String?
        var subject: String?
        var issuer: String?
        /// Until when the server's certificate is valid, in seconds since 1970.
        var notAfter: Int64?

        init(version: String, cipher: String, applicationProtocol: String?) {
            self.version = version
            self.cipher = cipher
            self.applicationProtocol = applicationProtocol
        }
    }

    /// The result of the dry push.
    enum Answer: Sendable, Equatable {
        /// `reason` as the server sent it; `sentence` says what it means and what to do.
        case response(status: Int, reason: String?, sentence: String?)
        /// An answer that APNs does not give: without apns-id and reason. `server` is the field of that name.
        case foreign(status: Int, server: String?)
        /// The credential was refused before an answer arrived.
        case refused(String)
        /// No answer; the code is that of a `PushError`.
        case none(code: String, sentence: String, mayHaveArrived: Bool)
    }

    /// A layer that is being tried.
    struct Trial: Sendable, Equatable {
        let layer: DoctorLayer
        /// How long it may take.
        let limit: Duration
    }

    /// `host:port`.
    let endpoint: String
    let port: Int
    let environment: String
    /// The proxy without its password; nil if there is none.
    var proxy: String?
    /// Why a proxy that was given is not used; nil if none was given.
    var proxyPassedBy: String?
    var topic: String?
    /// UNIX seconds.
    var now: Int64 = 0
    /// What this machine says about its clock.
    var clockSync = ClockSync.unknown

    /// What the walk waits for; nil before it begins and after it has ended.
    var trial: Trial?
    var resolution: Step<[String]>?
    var addresses: [Address]?
    var connecting: Duration?
    var tunnel: Step<Void>?
    /// What was agreed on, even if the choice of HTTP/2 failed afterwards.
    var handshake: Handshake?
    var securing: Step<Void>?
    /// Why no handshake could begin: the trust roots.
    var trustProblem: String?
    /// The most streams the server allows; nil: it sets no limit.
    var settings: Step<Int?>?
    var credential: CredentialFacts?
    /// Whether a credential was given. Without one, the walk ends with the link.
    var hasCredential = true
    /// Why the credential's files can't be used.
    var credentialProblem: String?
    /// What the server said about the credential while the link came up.
    var refusal: String?
    /// The reason the server gave with that, if any.
    var refusalReason: String?
    var answer: Step<Answer>?
    /// How many seconds the server's clock is ahead of this machine's; nil if the server does not send its time.
    var clockAhead: Int64?
    /// The signal that ended the walk.
    var signal: StopSignal?
    /// Whether a warning is a failure for the exit status.
    var failsOnWarning = false

    /// Whether this machine signs provider tokens, which contain its own time.
    var makesTokens: Bool { if case .token? = credential { true } else { false } }
    /// Whether a client certificate is part of the handshake.
    var showsCertificate: Bool { if case .certificate? = credential { true } else { false } }

    init(endpoint: String, port: Int, environment: String) {
        self.endpoint = endpoint
        self.port = port
        self.environment = environment
    }
}
