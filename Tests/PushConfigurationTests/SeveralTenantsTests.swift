import Configuration
import Testing

@testable import PushConfiguration
@testable import SupervisedPush

@Suite("parity: E25 – several connections by swift-configuration", .timeLimit(.minutes(5)))
struct SeveralTenantsTests {
    private func environment(_ variables: [String: String]) -> ConfigReader {
        ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: variables))
    }

    private func refusal(_ variables: [String: String], of tenant: String) -> ConnectError? {
        let reader = environment(variables).scoped(to: "tenants").scoped(to: ConfigKey([tenant]))
        return #expect(throws: ConnectError.self) { try PushConnection.Configuration(reading: reader) }
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
        let error = #expect(throws: ConnectError.self) {
            try PushConnection.Configuration(reading: environment(["PORT": "x"]))
        }
        #expect(error?.description.hasPrefix("The configuration: port (PORT) must be a whole number") == true)
    }

    // MARK: Named connections

    private let shared = [
        "APNS_NAMES": "orders, news", "APNS_TEAM_ID": "DEF123GHIJ", "APNS_KEY_PEM": "k", "APNS_TIMEOUT": "5",
        "APNS_NAMED_ORDERS_TOPIC": "com.example.orders", "APNS_NAMED_NEWS_TOPIC": "com.example.news",
    ]

    private func named(_ more: [String: String], _ names: [String]? = nil) throws -> [String: PushConnection
        .Configuration]
    {
        let variables = shared.merging(more) { _, more in more }
        return try PushConnection.Configuration.named(names, reading: environment(variables).scoped(to: "apns"))
    }

    @Test func connectionsShareWhatStandsOutside() throws {
        let configs = try named(["APNS_NAMED_NEWS_TIMEOUT": "7"])
        #expect(Set(configs.keys) == ["orders", "news"])
        #expect(configs["orders"]?.defaults.topic == "com.example.orders" && configs["orders"]?.timeout == .seconds(5))
        #expect(configs["news"]?.defaults.topic == "com.example.news" && configs["news"]?.timeout == .seconds(7))
        #expect(configs.values.allSatisfy { "\($0.credential)".contains("team DEF123GHIJ") })
    }

    @Test func aCredentialOfItsOwnReplacesTheSharedOneOfWhicheverForm() throws {
        let configs = try named(["APNS_NAMED_NEWS_CERTIFICATE": "news.pem", "APNS_PASSWORD": "p"])
        #expect("\(try #require(configs["news"]).credential)" == "provider certificate (file news.pem)")
        #expect("\(try #require(configs["orders"]).credential)".hasPrefix("provider token"))
        let keys = try named(["APNS_NAMED_NEWS_KEY": "AuthKey_ZYX987WVUT.p8"])
        #expect("\(try #require(keys["news"]).credential)".contains("file AuthKey_ZYX987WVUT.p8"))
    }

    @Test func theCallersNamesReplaceTheList() throws {
        #expect(Set(try named([:], ["news"]).keys) == ["news"])
    }

    @Test func whatIsWrongWithOneNamesIt() {
        for (more, words) in [
            (["APNS_NAMES": ""], "apns.names (APNS_NAMES) "),
            (["APNS_NAMED_NEWS_PORT": "x"], "apns.named.news.port (APNS_NAMED_NEWS_PORT) must be"),
            (["APNS_PORT": "x"], "apns.port (APNS_PORT) must be"),
            (
                ["APNS_NAMED_NEWS_KEY_PEM": "k", "APNS_NAMED_NEWS_KEY": "f"],
                "apns.named.news contains apns.named.news.key ("
            ),
        ] {
            let error = #expect(throws: ConnectError.self) { try named(more) }
            #expect(error?.description.contains(words) == true, "\(error as Any)")
        }
    }

    @Test func authoritiesMayBeGivenAsAValue() throws {
        let reader = environment(["APNS_CERTIFICATE": "c", "APNS_TRUST_ROOTS_PEM": "roots"]).scoped(to: "apns")
        #expect(
            "\(try PushConnection.Configuration(reading: reader).trust.bundle as Any)".contains("5 bytes in memory"))
        let both = environment(["APNS_TRUST_ROOTS_PEM": "a", "APNS_TRUST_ROOTS": "b"]).scoped(to: "apns")
        let error = #expect(throws: ConnectError.self) { try PushConnection.Configuration(reading: both) }
        #expect(error?.description.contains("apns.trust-roots-pem (APNS_TRUST_ROOTS_PEM): leave one out") == true)
    }
}
