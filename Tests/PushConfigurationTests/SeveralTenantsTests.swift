import Configuration
import Testing

@testable import PushConfiguration
@testable import SupervisedPush

@Suite("parity: E25 – several connections by swift-configuration", .timeLimit(.minutes(1)))
struct SeveralTenantsTests {
    private func environment(_ variables: [String: String]) -> ConfigReader {
        ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: variables))
    }

    private func refusal(_ variables: [String: String], of tenant: String) -> ConnectError? {
        let reader = environment(variables).scoped(to: "tenants").scoped(to: ConfigKey([tenant]))
        return #expect(throws: ConnectError.self) { try ConnectionConfig(reading: reader) }
    }

    private let beta = ["TENANTS_BETA_KEY": "AuthKey_ABC123DEFG.p8", "TENANTS_BETA_TEAM_ID": "DEF123GHIJ"]

    @Test func anIncompleteTenantIsNamedWithItsVariables() {
        #expect(
            refusal(beta, of: "alpha")?.description
                == "The configuration: tenants.alpha must contain one credential, and contains none: give "
                + "tenants.alpha.key (TENANTS_ALPHA_KEY) and tenants.alpha.team-id (TENANTS_ALPHA_TEAM_ID), or "
                + "tenants.alpha.certificate (TENANTS_ALPHA_CERTIFICATE), or tenants.alpha.p12 (TENANTS_ALPHA_P12).")
    }

    @Test(arguments: [
        ("TENANTS_ALPHA_TIMEOUT", "soon", "tenants.alpha.timeout (TENANTS_ALPHA_TIMEOUT) must be a number of seconds"),
        ("TENANTS_ALPHA_PORT", "0", "tenants.alpha.port (TENANTS_ALPHA_PORT) must be a whole number"),
        (
            "TENANTS_ALPHA_KEY_PEM", "",
            "tenants.alpha.key-pem (TENANTS_ALPHA_KEY_PEM) must be a string that is not empty"
        ),
        ("TENANTS_ALPHA_P12", "b", "tenants.alpha.certificate (TENANTS_ALPHA_CERTIFICATE) and tenants.alpha.p12 ("),
        ("TENANTS_ALPHA_HEADERS", "a b: c", "tenants.alpha.headers (TENANTS_ALPHA_HEADERS): "),
        ("TENANTS_ALPHA_PROXY", "ftp://p:1", "tenants.alpha.proxy (TENANTS_ALPHA_PROXY): "),
        ("TENANTS_ALPHA_PASSWORD_FILE", "/none/p", "tenants.alpha.password-file (TENANTS_ALPHA_PASSWORD_FILE): "),
    ])
    func aWrongSettingIsNamedWithItsVariable(variable: String, value: String, words: String) {
        let alpha = ["TENANTS_ALPHA_CERTIFICATE": "c", variable: value]
        let error = refusal(alpha.merging(beta) { one, _ in one }, of: "alpha")
        #expect(error?.description.contains(words) == true, "\(error as Any)")
    }

    /// The name in an error is the one that the provider reads, also where it puts underscores into it.
    @Test func theVariableIsTheOneThatTheProviderReads() {
        #expect(
            refusal(["TENANTS_MY_TENANT_2_PORT": "x"], of: "myTenant.2")?.description.contains(
                "tenants.myTenant.2.port (TENANTS_MY_TENANT_2_PORT) must be") == true)
    }

    @Test func aReaderWithoutAScopeShowsTheKeysAlone() {
        let error = #expect(throws: ConnectError.self) { try ConnectionConfig(reading: environment(["PORT": "x"])) }
        #expect(error?.description.hasPrefix("The configuration: port (PORT) must be a whole number") == true)
    }

    @Test func authoritiesMayBeGivenAsAValue() throws {
        let reader = environment(["APNS_CERTIFICATE": "c", "APNS_TRUST_ROOTS_PEM": "roots"]).scoped(to: "apns")
        #expect("\(try ConnectionConfig(reading: reader).trust.bundle as Any)".contains("5 bytes in memory"))
        let both = environment(["APNS_TRUST_ROOTS_PEM": "a", "APNS_TRUST_ROOTS": "b"]).scoped(to: "apns")
        let error = #expect(throws: ConnectError.self) { try ConnectionConfig(reading: both) }
        #expect(error?.description.contains("apns.trust-roots-pem (APNS_TRUST_ROOTS_PEM): leave one out") == true)
    }
}
