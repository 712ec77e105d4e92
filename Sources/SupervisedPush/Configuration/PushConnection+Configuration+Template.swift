extension PushConnection.Configuration {
    /// All settings of a connection but the credential: what the connections of several tenants have in common. It cannot
    /// be connected; ``config(credential:)`` makes a configuration of it.
    ///
    /// ```swift
    /// var template = PushConnection.Configuration.Template(timeout: .seconds(5))
    /// template.limits.maxWaiting = 1_000
    /// let config = template.config(credential: .token(key: .pem(tenant.key), keyID: tenant.keyID, teamID: tenant.teamID))
    /// ```
    /// It has every property of ``PushConnection/Configuration`` under the same name, with the same default.
    @dynamicMemberLookup
    public struct Template: Sendable {
        /// Its credential is never used.
        private var settings: PushConnection.Configuration

        /// Makes a template. All other properties have documented defaults and can be set later.
        public init(
            environment: APNsEnvironment = .production, host: String? = nil, port: Int = 443,
            trust: TrustRoots = .system, defaults: RequestDefaults = .init(), timeout: Duration = .seconds(10),
            feedback: FeedbackHandler? = nil
        ) {
            settings = PushConnection.Configuration(
                environment: environment, host: host, port: port, credential: .ofATemplate, trust: trust,
                defaults: defaults, timeout: timeout, feedback: feedback)
        }

        /// A setting, by its name in ``PushConnection/Configuration``.
        public subscript<Value>(dynamicMember setting: WritableKeyPath<PushConnection.Configuration, Value>) -> Value {
            get { settings[keyPath: setting] }
            set { settings[keyPath: setting] = newValue }
        }

        /// A template has none.
        @available(*, unavailable, message: "A template has no credential: give it to config(credential:).")
        public var credential: Credential { settings.credential }

        /// A copy with changes, for example `template.with { $0.port = 2197 }`.
        public func with(_ change: (inout Self) -> Void) -> Self {
            var copy = self
            change(&copy)
            return copy
        }

        /// A configuration with these settings.
        ///
        /// - Parameter credential: A signing key or a certificate.
        public func config(credential: Credential) -> PushConnection.Configuration {
            settings.with { $0.credential = credential }
        }
    }
}

extension Credential {
    /// Where the type asks for a credential that nobody uses.
    fileprivate static var ofATemplate: Credential {
        .tokens(from: "a template") {
            throw ConnectError(.configuration, "A template has no credential: give one to config(credential:).")
        }
    }
}
