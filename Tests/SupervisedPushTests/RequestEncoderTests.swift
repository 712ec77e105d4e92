import HandWrittenFrames
import ProcessRuntime
import PushHTTP2
import PushProtocol
import PushSimulator
import PushTransport
import Testing

@testable import SupervisedPush

/// An encoder that is kept writes what differs over the fields of the push before. The requests must be the same bytes as
/// those of an encoder that is made for each push and so writes everything.
@Suite struct RequestEncoderTests {
    private static let authority = "api.push.apple.com"
    private let time = ManualTime()
    private let tokens: TokenAuthority

    /// A session, and the token its requests show.
    private final class Link {
        let session: ClientSession
        var token: LinkToken?

        init(_ tokens: TokenAuthority?) throws {
            token = tokens.map(LinkToken.init)
            var configuration = ClientSession.Configuration()
            configuration.assumedMaxConcurrentStreams = 10_000
            session = try ClientSession(configuration)
        }

        func request(_ encoder: inout RequestEncoder, _ head: RequestHead, _ now: MonotonicInstant) throws -> [UInt8] {
            try encoder.encode(head, now, linkToken: &token)
            _ = try session.submit(encoder.fields, body: [], tag: 0)
            var bytes: [UInt8] = []
            try session.produce(into: &bytes, upTo: .max)
            return bytes
        }
    }

    init() throws {
        let key = try SigningKey(pem: Array(ThrowAwayCredentials().signingKeyPEM.utf8))
        tokens = TokenAuthority(key: key, keyID: "ABC123DEFG", teamID: "DEF123GHIJ", time: time)
    }

    private func templates() throws -> [HeadTemplate] {
        let defaults = RequestDefaults(topic: "com.example.app")
        var collapsing = PushNotification.alert(body: "b")
        collapsing.collapseID = try CollapseID("score")
        collapsing.expiration = Expiration(unixSeconds: 1_900_000_000)
        var own = PushNotification.alert(body: "b")
        own.authorization = try BearerToken("e30.e30.c2ln")
        return [
            HeadTemplate(.alert(body: "b"), defaults: defaults), HeadTemplate(.alert(body: "b"), defaults: defaults),
            HeadTemplate(.background(), defaults: defaults), HeadTemplate(collapsing, defaults: defaults),
            HeadTemplate(own, defaults: defaults),
            HeadTemplate(.alert(body: "b"), for: .broadcast(try ChannelID("AAAA"), bundleID: "com.example.app")),
            HeadTemplate(own, for: .readChannel(try ChannelID("BBBB"), bundleID: "com.example.app")),
        ]
    }

    @Test(arguments: [1, 2, 3, 4], [true, false])
    func fieldsWrittenOverTheLastOnesAreThoseWrittenAnew(seed: Int, withTokens: Bool) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let authority = withTokens ? tokens : nil
        let templates = try templates()
        let devices = try [64, 64, 64, 160].map { length in
            try DeviceToken(String((0..<length).map { _ in generator.pick(Array("0123456789abcdef")) }))
        }
        var kept = RequestEncoder(authority: Self.authority)
        let links = try [Link(authority), Link(authority)]
        let references = try [Link(authority), Link(authority)]
        var template = templates[0]
        for step in 0..<400 {
            if Int.random(in: 0..<4, using: &generator) == 0 { template = generator.pick(templates) }
            // A new token is due.
            if step % 25 == 24 { time.advance(by: .seconds(3_000)) }
            let id = Bool.random(using: &generator) ? APNSID(randomHigh: generator.next(), low: generator.next()) : nil
            let head =
                template.route == nil
                ? RequestHead(template, to: generator.pick(devices), apnsID: id) : RequestHead(template, apnsID: id)
            let link = step < 20 || Int.random(in: 0..<10, using: &generator) > 0 ? 0 : 1
            var fresh = RequestEncoder(authority: Self.authority)
            let bytes = try links[link].request(&kept, head, time.now)
            #expect(try bytes == references[link].request(&fresh, head, time.now), "step \(step)")
        }
    }

    @Test func theServerSeesEachPushesOwnPathAndID() throws {
        let server = try ServerSession(ServerSession.Configuration())
        let template = try templates()[0]
        let link = try Link(tokens)
        var encoder = RequestEncoder(authority: Self.authority)
        var (seen, expected) = ([String](), [String]())
        for number in 10..<20 {
            let id = APNSID(high: 0, low: UInt64(number))
            expected += ["/3/device/\(number)", id.description]
            let head = RequestHead(template, to: try DeviceToken("\(number)"), apnsID: id)
            let bytes = try link.request(&encoder, head, time.now)
            var events: [ServerEvent] = []
            try bytes.withUnsafeBytes { try server.receive($0, into: &events) }
            for case .request(let request) in events {
                seen += [request.headers.first(":path") ?? "", request.headers.first("apns-id") ?? ""]
                #expect(request.headers.occurrences(of: ":path") == 1)
                #expect(request.headers.first("authorization")?.hasPrefix("bearer ") == true)
                #expect(request.headers.first("apns-topic") == "com.example.app")
            }
        }
        #expect(seen == expected)
    }

    @Test("parity: F11 – broadcasts and requests to the management between pushes")
    func requestsOfSeveralKindsDoNotMixOnALink() throws {
        let server = try ServerSession(ServerSession.Configuration())
        let app = "com.example.app"
        let channel = try ChannelID("dHN0LXNyY2gtY2hubA==")
        let push = try templates()[0]
        let update = HeadTemplate(.alert(body: "b"), for: .broadcast(channel, bundleID: app))
        let list = HeadTemplate(.alert(body: "b"), for: .listChannels(app))
        let id = APNSID(high: 1, low: 2)
        let device = try DeviceToken("aabb")
        let toDevice = RequestHead(push, to: device, apnsID: id)
        let link = try Link(tokens)
        var encoder = RequestEncoder(authority: Self.authority)
        var seen: [String] = []
        for head in [
            toDevice, toDevice, RequestHead(update, apnsID: id), RequestHead(update, apnsID: id), toDevice,
            RequestHead(list, apnsID: id), toDevice,
        ] {
            let bytes = try link.request(&encoder, head, time.now)
            var events: [ServerEvent] = []
            try bytes.withUnsafeBytes { try server.receive($0, into: &events) }
            for case .request(let request) in events {
                let fields = request.headers.fields.map {
                    $0.name == "authorization" ? "token" : "\($0.name)=\($0.value)"
                }
                seen.append(fields.filter { !$0.hasPrefix(":scheme") && !$0.hasPrefix(":auth") }.joined(separator: " "))
            }
        }
        let pushed =
            ":method=POST :path=/3/device/aabb apns-topic=com.example.app apns-push-type=alert apns-id=\(id) token"
        let broadcast =
            ":method=POST :path=/4/broadcasts/apps/com.example.app apns-channel-id=\(channel) apns-push-type=liveactivity "
            + "apns-priority=10 apns-expiration=0 apns-request-id=\(id) token"
        let listed = ":method=GET :path=/1/apps/com.example.app/all-channels apns-request-id=\(id) token"
        #expect(seen == [pushed, pushed, broadcast, broadcast, pushed, listed, pushed])
    }

    @Test func pushesWithTheSameFieldsShareATemplate() throws {
        var identities = PushIdentities()
        let defaults = RequestDefaults(topic: "com.example.app")
        func template(_ notification: PushNotification, _ defaults: RequestDefaults) -> HeadTemplate {
            identities.next(for: notification, callersID: nil, policy: PushPolicy(), defaults: defaults, isUsual: false)
                .template
        }
        let plain = template(.alert(body: "one"), defaults)
        #expect(template(.alert(body: "another"), defaults) === plain)

        func changed(_ change: (inout PushNotification) throws -> Void) rethrows -> PushNotification {
            var notification = PushNotification.alert(body: "one")
            try change(&notification)
            return notification
        }
        let others = try [
            changed { $0.topic = "com.example.other" }, changed { $0.pushType = .voip },
            changed { $0.priority = .low }, changed { $0.expiration = .immediately },
            changed { $0.collapseID = try CollapseID("x") },
            changed { $0.authorization = try BearerToken("e30.e30.c2ln") }, .background(),
        ]
        for other in others {
            #expect(template(other, defaults) !== template(.alert(body: "one"), defaults), "\(other)")
        }
        let before = template(.alert(body: "one"), defaults)
        #expect(template(.alert(body: "one"), RequestDefaults(topic: "com.example.second")) !== before)
        // Neither goes into the fields that are shared.
        let last = template(.alert(body: "one"), defaults)
        #expect(template(changed { $0.timeout = .seconds(1) }, defaults) === last)
        #expect(template(changed { $0.apnsID = .byServer }, defaults) === last)
    }
}
