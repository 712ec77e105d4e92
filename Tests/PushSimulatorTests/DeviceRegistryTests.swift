import Testing

@testable import PushSimulator

@Suite struct DeviceRegistryTests {
    @Test func theStandardRulesReadTheTokenItself() {
        let registry = DeviceRegistry()
        #expect(registry.state(of: "deadbeef" + String(repeating: "0", count: 56)) == .unregistered())
        #expect(registry.state(of: "DEADC0DE01") == .expired())
        #expect(registry.state(of: "baadf00d") == .bad)
        #expect(registry.state(of: "0ddba115ff") == .wrongTopic)
        #expect(registry.state(of: "f100ded0ff") == .tooManyRequests)
        #expect(registry.state(of: String(repeating: "0", count: 64)) == .bad)
        #expect(registry.state(of: String(repeating: "0", count: 63) + "1") == .valid)
        #expect(registry.state(of: "deadbee0") == .valid)
        #expect(registry.state(of: "dead") == .valid)
    }

    @Test func theFirstRuleThatCoversATokenWins() {
        let registry = DeviceRegistry(
            rules: [
                DeviceRule(.suffix("FF"), .bad), DeviceRule(.prefix("a"), .wrongTopic),
                DeviceRule(.byteCount(1...2), .tooManyRequests),
                DeviceRule(.any, .validOnly(topic: "t")),
            ])
        #expect(registry.state(of: "a0ff") == .bad)
        #expect(registry.state(of: "A000") == .wrongTopic)
        #expect(registry.state(of: "b000") == .tooManyRequests)
        #expect(registry.state(of: "b00000") == .validOnly(topic: "t"))
    }

    @Test func aSingleTokenGoesBeforeTheRules() {
        let registry = DeviceRegistry()
        registry.set(.bad, for: "ABCD")
        #expect(registry.state(of: "abcd") == .bad)
        #expect(registry.state(of: "aBcD") == .bad)
        registry.set(nil, for: "abcd")
        #expect(registry.state(of: "abcd") == .valid)
        registry.set(.valid, for: "deadbeef")
        #expect(registry.state(of: "deadbeef") == .valid)
        registry.setRules([], otherwise: .bad)
        #expect(registry.state(of: "1234") == .bad)
        #expect(registry.state(of: "deadbeef") == .valid)
    }
}
