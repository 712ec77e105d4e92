import Testing

@testable import PushSimulator

/// Which topics a simulator accepts.
@Suite struct SimulatedTopicsTests {
    private static let credentials = Result { try ThrowAwayCredentials(topic: "com.example.shop") }

    private func isAllowed(_ topic: String, _ topics: SimulatedTopics) throws -> Bool {
        try topics.allowed(Self.credentials.get())?.contains(topic) ?? true
    }

    @Test(arguments: [
        ("com.example.shop", true), ("com.example.shop.voip", true), ("com.example.shop.voip-ptt", true),
        ("com.example.shop.complication", true), ("com.example.shop.pushkit.fileprovider", true),
        ("com.example.shop.location-query", true), ("com.example.shop.push-type.liveactivity", true),
        ("com.example.shop.push-type.widgets", true), ("com.example.shop.push-type.controls", true),
        ("com.example.shop.push-type.accessory", true),
        ("com.example.shop.beta", false), ("com.example.app", false), ("com.example.sho", false),
        ("com.apple.mgmt.External.1", false), ("pass.com.example.ticket", false),
    ])
    func byDefaultItsCredentialsHaveOneAppWithAllSuffixes(_ topic: String, _ isAllowed: Bool) throws {
        #expect(SimulatedAPNs.Configuration().topics == .ofCredentials)
        #expect(try self.isAllowed(topic, .ofCredentials) == isAllowed)
        #expect(try self.isAllowed(topic, .any))
    }

    @Test func aListIsWhatItSaysWithAllSuffixes() throws {
        let topics: SimulatedTopics = ["com.example.app", "pass.com.example.ticket"]
        for topic in ["com.example.app", "com.example.app.voip", "pass.com.example.ticket"] {
            #expect(try isAllowed(topic, topics))
        }
        #expect(try !isAllowed("com.example.shop", topics))
    }
}
