import SupervisedPush

/// What was seen on the walk through the layers. A nil value was not reached.
package struct DoctorFacts: Sendable {
    /// Why a step failed.
    package struct Failure: Error, Sendable, Equatable {
        /// A short name: `ECONNREFUSED`, `untrustedIssuer`.
        package let code: String
        package let sentence: String

        package init(_ code: String, _ sentence: String) {
            self.code = code
            self.sentence = sentence
        }
    }

    package struct Step<Value: Sendable>: Sendable {
        package let duration: Duration?
        package let result: Result<Value, Failure>

        package init(_ duration: Duration?, _ result: Result<Value, Failure>) {
            self.duration = duration
            self.result = result
        }

        var failure: Failure? { if case .failure(let failure) = result { failure } else { nil } }
    }

    /// One of the name's addresses, and the result of connecting to it.
    package struct Address: Sendable, Equatable {
        package let literal: String
        package let duration: Duration
        /// Nil: it connected.
        package let problem: String?

        package init(_ literal: String, _ duration: Duration, _ problem: String? = nil) {
            self.literal = literal
            self.duration = duration
            self.problem = problem
        }
    }

    package struct Handshake: Sendable, Equatable {
        package var version: String
        package var cipher: String
        package var applicationProtocol: String?
        package var subject: String?
        package var issuer: String?
        /// Until when the server's certificate is valid, in seconds since 1970.
        package var notAfter: Int64?

        package init(version: String, cipher: String, applicationProtocol: String?) {
            self.version = version
            self.cipher = cipher
            self.applicationProtocol = applicationProtocol
        }
    }

    /// The result of the dry push.
    package enum Answer: Sendable, Equatable {
        /// `reason` as the server sent it; `sentence` says what it means and what to do.
        case response(status: Int, reason: String?, sentence: String?)
        /// The credential was refused before an answer arrived.
        case refused(String)
        /// No answer; the code is that of a `PushError`.
        case none(code: String, sentence: String, mayHaveArrived: Bool)
    }

    /// `host:port`.
    package let endpoint: String
    package let port: Int
    package let environment: String
    /// The proxy without its password; nil if there is none.
    package var proxy: String?
    package var topic: String?
    /// UNIX seconds.
    package var now: Int64 = 0

    package var resolution: Step<[String]>?
    package var addresses: [Address]?
    package var connecting: Duration?
    package var tunnel: Step<Void>?
    /// What was agreed on, even if the choice of HTTP/2 failed afterwards.
    package var handshake: Handshake?
    package var securing: Step<Void>?
    /// Why no handshake could begin: the trust roots.
    package var trustProblem: String?
    /// The most streams the server allows; nil: it sets no limit.
    package var settings: Step<Int?>?
    package var credential: CredentialFacts?
    /// Why the credential's files can't be used.
    package var credentialProblem: String?
    /// What the server said about the credential while the link came up.
    package var refusal: String?
    /// The reason the server gave with that, if any.
    package var refusalReason: String?
    package var answer: Step<Answer>?
    /// How many seconds the server's clock is ahead of this machine's; nil if the server does not send its time.
    package var clockAhead: Int64?
    /// The signal that ended the walk.
    package var signal: StopSignal?

    /// Whether this machine signs provider tokens, which contain its own time.
    var makesTokens: Bool { if case .token? = credential { true } else { false } }

    package init(endpoint: String, port: Int, environment: String) {
        self.endpoint = endpoint
        self.port = port
        self.environment = environment
    }
}
