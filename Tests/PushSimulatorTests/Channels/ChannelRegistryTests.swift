import Testing

@testable import PushSimulator

@Suite struct ChannelRegistryTests {
    private let app = "com.example.app"

    @Test("parity: F11 – channels are made, read, listed and deleted")
    func channelsAreMadeReadListedAndDeleted() throws {
        let channels = ChannelRegistry()
        let first = try #require(channels.create(for: app))
        let second = try #require(channels.create(for: app, storing: .mostRecentMessage))
        #expect(first.storagePolicy == .noStorage)
        #expect(channels.channels(of: app) == [first, second])
        #expect(channels.channel(second.id, of: app) == second)
        #expect(channels.channel(second.id, of: "com.example.other") == nil)
        #expect(channels.channel(second.id, of: app, in: .development) == nil)
        #expect(channels.channels(of: app, in: .development).isEmpty)
        #expect(channels.delete(first.id, of: app))
        #expect(!channels.delete(first.id, of: app))
        #expect(channels.channels(of: app) == [second])
        #expect(channels.state(of: first.id, app, .production) == .deleted)
        #expect(channels.state(of: second.id, app, .production) == .open(second))
        #expect(channels.state(of: first.id, app, .development) == .unknown)
    }

    @Test func idsAreSixteenBytesInBase64AndComeFromTheSeed() throws {
        func ids(_ seed: UInt64) -> [String] {
            let channels = ChannelRegistry()
            channels.seed(seed)
            // Only the first counts.
            channels.seed(seed + 1)
            return (0..<1_000).compactMap { _ in channels.create(for: app)?.id }
        }
        let made = ids(7)
        #expect(Set(made).count == 1_000)
        #expect(made.allSatisfy { $0.count == 24 && $0.hasSuffix("==") })
        #expect(made.allSatisfy { ChannelRequest.isChannelID(Octets(Array($0.utf8))) })
        // Clients that escape or cut what base64 has beside letters are to be found.
        #expect(made.contains { $0.contains("/") } && made.contains { $0.contains("+") })
        #expect(ids(7) == made)
        #expect(ids(9) != made)
    }

    @Test func theLimitHoldsPerApp() {
        let channels = ChannelRegistry(limit: 2)
        #expect(channels.create(for: app) != nil)
        let second = channels.create(for: app)
        #expect(channels.create(for: app) == nil)
        #expect(channels.create(for: app, in: .development) != nil)
        #expect(channels.create(for: "com.example.other") != nil)
        channels.delete(second?.id ?? "", of: app)
        #expect(channels.create(for: app) != nil)
        #expect(ChannelRegistry().limit == 10_000)
    }

    @Test func onlySoManyDeletedIDsAreRemembered() throws {
        let channels = ChannelRegistry(limit: 10, enabledBundleIDs: nil, memory: 3)
        let ids = try (0..<5).map { _ in try #require(channels.create(for: app)?.id) }
        for id in ids { channels.delete(id, of: app) }
        let states = ids.map { channels.state(of: $0, app, .production) }
        #expect(states == [.unknown, .unknown, .deleted, .deleted, .deleted])
    }

    @Test func whoLosesTheCapabilityLosesTheChannels() throws {
        let channels = ChannelRegistry(limit: 10, enabledBundleIDs: [app, "com.example.other"])
        let lost = try #require(channels.create(for: app))
        let kept = try #require(channels.create(for: "com.example.other"))
        channels.enabledBundleIDs = ["com.example.other"]
        #expect(channels.state(of: lost.id, app, .production) == .unknown)
        channels.enabledBundleIDs = nil
        #expect(channels.channels(of: app).isEmpty)
        #expect(channels.channels(of: "com.example.other") == [kept])
    }

    @Test(arguments: [
        ("AAAA", true), ("AAA=", true), ("AA==", true), ("dHN0LXNyY2gtY2hubA==", true), ("+/+/", true), ("", false),
        ("A===", false), ("====", false), ("AAAAA", false), ("AA=A", false), ("AA-_", false), ("AA A", false),
        (String(repeating: "A", count: 128), true), (String(repeating: "A", count: 132), false),
    ])
    func aChannelIDIsBase64(_ text: String, _ isGood: Bool) {
        #expect(ChannelRequest.isChannelID(Octets(Array(text.utf8))) == isGood)
    }
}
