import Testing

@testable import PushSimulator

/// A request about channels that every check accepts, a place to spoil it, and the judge.
struct ChannelHarness {
    static let bundleID = "com.example.app"

    /// Credentials, clocks, headers, body length and policy: what a device push has too.
    var push: CheckHarness
    var body: [UInt8]
    let service: Service
    /// A channel that is there and stores nothing, one that stores, one that was deleted.
    let channel: String
    let storing: String
    let deleted: String

    init(_ action: ChannelAction, _ authentication: Authentication = .token, otherKeys: [ProviderKey] = []) throws {
        push = try CheckHarness(authentication, otherKeys: otherKeys)
        service = action == .broadcast ? .push : .management
        let channels = ChannelRegistry(limit: 10)
        channel = try #require(channels.create(for: Self.bundleID)?.id)
        storing = try #require(channels.create(for: Self.bundleID, storing: .mostRecentMessage)?.id)
        deleted = try #require(channels.create(for: Self.bundleID)?.id)
        channels.delete(deleted, of: Self.bundleID)
        push.policy.channels = channels
        let authorization = push["authorization"]
        push.headers = [
            (":method", Self.method(action)), (":scheme", "https"), (":path", Self.path(action)),
            (":authority", "localhost"), ("apns-request-id", "123e4567-E89B-12d3-a456-426614174000"),
            ("user-agent", "anything"),
        ]
        push["authorization"] = authorization
        body = action == .create ? Array(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#.utf8) : []
        if ![.create, .list].contains(action) { push["apns-channel-id"] = channel }
        guard action == .broadcast else { return }
        body = [UInt8](repeating: 0x20, count: 20)
        push["apns-push-type"] = "liveactivity"
        push["apns-priority"] = "10"
        push["apns-expiration"] = "0"
    }

    static func method(_ action: ChannelAction) -> String {
        switch action {
        case .broadcast, .create: "POST"
        case .read, .list: "GET"
        case .delete: "DELETE"
        }
    }

    static func path(_ action: ChannelAction, of bundleID: String = bundleID) -> String {
        switch action {
        case .broadcast: "/4/broadcasts/apps/\(bundleID)"
        case .create, .read, .delete: "/1/apps/\(bundleID)/channels"
        case .list: "/1/apps/\(bundleID)/all-channels"
        }
    }

    var channels: ChannelRegistry { push.policy.channels }

    /// The header's value; setting nil removes it.
    subscript(name: String) -> String? {
        get { push[name] }
        set { push[name] = newValue }
    }

    mutating func judge() throws -> (verdict: Verdict, reply: ChannelReply) {
        var request = PushRequest()
        for header in push.headers { request.add(name: octets(header.name), value: octets(header.value)) }
        request.bodyCount = body.count
        var channel = try #require(ChannelRequest(path: request.path, at: service))
        for header in push.headers { channel.add(name: octets(header.name), value: octets(header.value)) }
        channel.body = Array(body.prefix(ChannelChecks.bodyLimit))
        let examination = Examination(
            request: request, policy: push.policy, now: push.now, wallClock: push.wallClock,
            isDraining: push.isDraining, injected: push.injected)
        return ChannelChecks.judge(ChannelExamination(channel, examination), &push.facts)
    }

    private func octets(_ text: String) -> Octets { Octets(Array(text.utf8)) }
}
