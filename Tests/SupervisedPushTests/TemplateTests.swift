import SupervisedPush
import Testing

@Suite("parity: E25 – a configuration without a credential") struct TemplateTests {
    @Test func aTemplateHasEverySettingOfAConfiguration() throws {
        var template = ConnectionConfig.Template(host: "localhost", timeout: .seconds(5))
        template.maxWaiting = 1_000
        template.defaults.topic = "com.example.app"
        let slower = template.with { $0.timeout = .seconds(9) }
        let config = slower.config(credential: .certificate(.file("c.pem")))
        #expect(config.host == "localhost" && config.maxWaiting == 1_000 && config.timeout == .seconds(9))
        #expect(config.defaults.topic == "com.example.app" && "\(config.credential)".contains("c.pem"))
        #expect(template.timeout == .seconds(5) && template.port == 443)
    }

    @Test func itsDefaultsAreThoseOfAConfiguration() {
        let credential = Credential.certificate(.file("c.pem"))
        let (plain, made) = (
            ConnectionConfig(credential: credential), ConnectionConfig.Template().config(credential: credential)
        )
        #expect("\(plain)" == "\(made)")
    }
}
