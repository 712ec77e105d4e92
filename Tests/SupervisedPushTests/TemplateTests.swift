import SupervisedPush
import Testing

@Suite("parity: E25 – a configuration without a credential") struct TemplateTests {
    @Test func aTemplateHasEverySettingOfAConfiguration() throws {
        var template = PushConnection.Configuration.Template(host: "localhost", timeout: .seconds(5))
        template.limits.maxWaiting = 1_000
        template.defaults.topic = "com.example.app"
        let slower = template.with { $0.timeout = .seconds(9) }
        let config = slower.config(credential: .certificate(.file("c.pem")))
        #expect(config.host == "localhost" && config.limits.maxWaiting == 1_000 && config.timeout == .seconds(9))
        #expect(config.defaults.topic == "com.example.app" && "\(config.credential)".contains("c.pem"))
        #expect(template.timeout == .seconds(5) && template.port == 443)
    }

    @Test func itsDefaultsAreThoseOfAConfiguration() {
        let credential = Credential.certificate(.file("c.pem"))
        let (plain, made) = (
            PushConnection.Configuration(credential: credential),
            PushConnection.Configuration.Template().config(credential: credential)
        )
        #expect("\(plain)" == "\(made)")
    }
}
