import Configuration
import PushLocking
import PushTesting
import TestSupport
import Testing

@testable import PushConfiguration

@Suite("parity: E25 – connection settings by swift-configuration", .timeLimit(.minutes(5)))
struct PushConfigurationTests {
    private func reader(_ values: [AbsoluteConfigKey: ConfigValue]) -> ConfigReader {
        ConfigReader(provider: InMemoryProvider(values: values)).scoped(to: "apns")
    }

    @Test func valuesComeFromTheReadersScope() throws {
        let config = try PushConnection.Configuration(
            reading: reader([
                "apns.key": "AuthKey_ABC123DEFG.p8", "apns.team-id": "DEF123GHIJ", "apns.topic": "com.example.app",
                "apns.environment": "development", "apns.port": 2197, "apns.timeout": 2.5, "apns.resend-unknown": true,
                "apns.priority": 5, "apns.headers": .init(.stringArray(["x-tenant: one"]), isSecret: false),
            ]))
        #expect(config.environment == .development && config.port == 2_197 && config.timeout == .seconds(2.5))
        #expect(config.defaults.topic == "com.example.app" && config.retry.resend == .resendUnknown)
        #expect(config.defaults.priority == .conserving && config.defaults.headers == ["x-tenant": "one"])
    }

    @Test func theEnvironmentNamesThemInItsOwnWay() throws {
        let provider = EnvironmentVariablesProvider(environmentVariables: [
            "APNS_CERTIFICATE": "push.pem", "APNS_TIMEOUT": "3", "APNS_CONNECT_TIMEOUT": "7.5",
            "APNS_RETRY_STATUS": "2",
        ])
        let config = try PushConnection.Configuration(reading: ConfigReader(provider: provider).scoped(to: "apns"))
        #expect(config.timeout == .seconds(3) && config.liveness.connectTimeout == .seconds(7.5))
        #expect(config.retry.statusRetry.retries == 2)
    }

    @Test func whatIsWrongIsNamed() {
        for (values, words) in [
            (["apns.certificate": "c", "apns.port": 0], "apns.port (APNS_PORT) must be"),
            (["apns.topic": "a"], "one credential"),
            (["apns.key-pem": "secret"], "apns.team-id (APNS_TEAM_ID) is missing"),
            (
                ["apns.key-pem": "secret", "apns.key": "k.p8", "apns.team-id": "t"],
                "apns.key (APNS_KEY) and apns.key-pem (APNS_KEY_PEM): leave one out"
            ),
            (["apns.key-pem": "secret", "apns.certificate": "c"], "one credential"),
            (["apns.certificate-pem": "c", "apns.p12": "c.p12"], "one credential"),
            (
                ["apns.p12": "c.p12", "apns.password": "secret", "apns.password-file": "p"],
                "apns.password-file (APNS_PASSWORD_FILE) and apns.password (APNS_PASSWORD): leave one out"
            ),
            (["apns.certificate": "c", "apns.priority": 3], "apns.priority (APNS_PRIORITY) must be"),
        ] as [([AbsoluteConfigKey: ConfigValue], String)] {
            let error = #expect(throws: ConnectError.self) { try PushConnection.Configuration(reading: reader(values)) }
            #expect(error?.code == .configuration && error?.description.contains(words) == true, "\(error as Any)")
            #expect(error?.description.contains("secret") == false)
        }
    }

    @Test func aValueOfAnotherFormIsRefusedAndNotLeftOut() {
        for (values, words) in [
            (["APNS_PORT": "2197x"], "apns.port (APNS_PORT) must be a whole number"),
            (["APNS_TIMEOUT": "10s"], "apns.timeout (APNS_TIMEOUT) must be a number of seconds"),
            (["APNS_RESEND_UNKNOWN": "perhaps"], "apns.resend-unknown (APNS_RESEND_UNKNOWN) must be true or false"),
        ] as [([String: String], String)] {
            let provider = EnvironmentVariablesProvider(
                environmentVariables: values.merging(["APNS_CERTIFICATE": "c"]) { one, _ in one })
            let error = #expect(throws: ConnectError.self) {
                try PushConnection.Configuration(reading: ConfigReader(provider: provider).scoped(to: "apns"))
            }
            #expect(error?.description.contains(words) == true, "\(error as Any)")
        }
        let error = #expect(throws: ConnectError.self) {
            try PushConnection.Configuration(reading: reader(["apns.certificate": "c", "apns.topic": 5]))
        }
        #expect(error?.description.contains("apns.topic (APNS_TOPIC) must be a string") == true, "\(error as Any)")
    }

    @Test func noAccessReporterSeesAProxysPassword() throws {
        let secrets = Locked<Set<String>>([])
        let reader = ConfigReader(
            provider: InMemoryProvider(values: ["certificate": "c", "proxy": "http://me:hunter2@proxy.example:3128"]),
            accessReporter: Reporter { event in
                guard case .success(let value?) = event.result, value.isSecret else { return }
                secrets.withLock { _ = $0.insert("\(event.metadata.key)") }
            })
        _ = try PushConnection.Configuration(reading: reader)
        #expect(secrets.withLock { $0 } == ["proxy"])
    }

    private struct Reporter: AccessReporter {
        let whenRead: @Sendable (AccessEvent) -> Void
        func report(_ event: AccessEvent) { whenRead(event) }
    }

    @Test func aSecretMayBeAValueBesideAFile() throws {
        let config = try PushConnection.Configuration(
            reading: reader(["apns.certificate": "push.pem", "apns.private-key-pem": "k", "apns.password": "p"]))
        #expect("\(config.credential)" == "provider certificate (file push.pem)")
    }

    @Test(arguments: [true, false])
    func aNewKeyIsUsedOnceTheConfigurationNamesIt(changesBeforeItIsFollowed: Bool) async throws {
        let renewed = try ThrowAwayCredentials()
        try await withSimulatedAPNs(
            timeLimit: nil,
            configure: {
                $0.keys = [try ProviderKey(pem: renewed.signingKeyPEM, keyID: renewed.keyID, teamID: renewed.teamID)]
            }
        ) { apple, runtime in
            let provider = MutableInMemoryProvider(initialValues: ["topic": "com.example.app"])
            provider.name(apple.credentials)
            let reader = ConfigReader(provider: provider)
            var config = try PushConnection.Configuration(reading: reader)
            (config.host, config.port) = (apple.connectionConfig.host, apple.connectionConfig.port)
            config.trust = apple.connectionConfig.trust
            let orders = try runtime.connect(name: "orders", config: config)
            #expect(try await orders.push(.alert(title: "Flight A998", body: "Boarding"), to: .simulated()).isAccepted)

            if changesBeforeItIsFollowed { provider.name(renewed) }
            let following = Task { try await orders.followCredential(in: reader) }
            await until {
                if !changesBeforeItIsFollowed { provider.name(renewed) }
                return orders.status.credential.keyID == renewed.keyID
            }
            following.cancel()
            _ = await following.result
            #expect(try await orders.push(.alert(title: "Flight A998", body: "Boarding"), to: .simulated()).isAccepted)
        }
    }
}

extension MutableInMemoryProvider {
    /// Names these credentials, one value after the other: only the last one makes a credential that can be used.
    fileprivate func name(_ credentials: ThrowAwayCredentials) {
        setValue(.init(.string(credentials.teamID), isSecret: false), forKey: "team-id")
        setValue(.init(.string(credentials.keyID), isSecret: false), forKey: "key-id")
        setValue(.init(.string(credentials.signingKeyPEM), isSecret: true), forKey: "key-pem")
    }
}
