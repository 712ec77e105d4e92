import Configuration
import PushTesting
import Testing

@testable import PushConfiguration

@Suite("parity: E25 – connection settings by swift-configuration") struct PushConfigurationTests {
    private func reader(_ values: [AbsoluteConfigKey: ConfigValue]) -> ConfigReader {
        ConfigReader(provider: InMemoryProvider(values: values)).scoped(to: "apns")
    }

    @Test func valuesComeFromTheReadersScope() throws {
        let config = try ConnectionConfig(
            reading: reader([
                "apns.key": "AuthKey_ABC123DEFG.p8", "apns.team-id": "DEF123GHIJ", "apns.topic": "com.example.app",
                "apns.environment": "development", "apns.port": 2197, "apns.timeout": 2.5, "apns.resend-unknown": true,
                "apns.priority": 5, "apns.headers": .init(.stringArray(["x-tenant: one"]), isSecret: false),
            ]))
        #expect(config.environment == .development && config.port == 2_197 && config.timeout == .seconds(2.5))
        #expect(config.defaults.topic == "com.example.app" && config.resend == .resendUnknown)
        #expect(config.defaults.priority == .conserving && config.defaults.headers == ["x-tenant": "one"])
    }

    @Test func theEnvironmentNamesThemInItsOwnWay() throws {
        let provider = EnvironmentVariablesProvider(environmentVariables: [
            "APNS_CERTIFICATE": "push.pem", "APNS_TIMEOUT": "3", "APNS_CONNECT_TIMEOUT": "7.5",
            "APNS_RETRY_STATUS": "2",
        ])
        let config = try ConnectionConfig(reading: ConfigReader(provider: provider).scoped(to: "apns"))
        #expect(config.timeout == .seconds(3) && config.connectTimeout == .seconds(7.5))
        #expect(config.statusRetry.retries == 2)
    }

    @Test func whatIsWrongIsNamed() {
        for (values, words) in [
            (["apns.certificate": "c", "apns.port": 0], "port must be"), (["apns.topic": "a"], "one credential"),
            (["apns.key-pem": "secret"], "key-pem needs"),
            (["apns.certificate": "c", "apns.priority": 3], "priority must be"),
        ] as [([AbsoluteConfigKey: ConfigValue], String)] {
            let error = #expect(throws: ConnectError.self) { try ConnectionConfig(reading: reader(values)) }
            #expect(error?.code == .configuration && error?.description.contains(words) == true, "\(error as Any)")
        }
    }

    @Test func aNewKeyIsUsedOnceTheConfigurationNamesIt() async throws {
        let renewed = try ThrowAwayCredentials()
        try await withSimulatedAPNs(configure: {
            $0.keys = [try ProviderKey(pem: renewed.signingKeyPEM, keyID: renewed.keyID, teamID: renewed.teamID)]
        }) { apple, runtime in
            let credentials = apple.credentials
            let provider = MutableInMemoryProvider(initialValues: [
                "key-pem": .init(.string(credentials.signingKeyPEM), isSecret: true),
                "key-id": .init(.string(credentials.keyID), isSecret: false),
                "team-id": .init(.string(credentials.teamID), isSecret: false),
                "topic": "com.example.app",
            ])
            let reader = ConfigReader(provider: provider)
            var config = try ConnectionConfig(reading: reader)
            (config.host, config.port) = (apple.connectionConfig.host, apple.connectionConfig.port)
            config.trust = apple.connectionConfig.trust
            let orders = try runtime.connect(name: "orders", config: config)
            #expect(try await orders.push(.alert(title: "Flight A998", body: "Boarding"), to: .simulated()).isAccepted)
            let following = Task { try await orders.followCredential(in: reader) }
            // One value after the other: only the last one makes a credential that can be used.
            while orders.status.credential.keyID != renewed.keyID {
                provider.setValue(.init(.string(renewed.teamID), isSecret: false), forKey: "team-id")
                provider.setValue(.init(.string(renewed.keyID), isSecret: false), forKey: "key-id")
                provider.setValue(.init(.string(renewed.signingKeyPEM), isSecret: true), forKey: "key-pem")
                await Task.yield()
            }
            following.cancel()
            _ = await following.result
            #expect(try await orders.push(.alert(title: "Flight A998", body: "Boarding"), to: .simulated()).isAccepted)
        }
    }
}
