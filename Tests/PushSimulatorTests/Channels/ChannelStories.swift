import ProcessRuntime
import PushHTTP2
import PushSimulator
import PushTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ChannelStories {
    static let channels = "/1/apps/com.example.app/channels"
    static let allChannels = "/1/apps/com.example.app/all-channels"
    static let id = "123e4567-e89b-12d3-a456-426614174000"
    static let creation = Array(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#.utf8)

    /// What an answer says: its status, its headers but for the status, its body.
    private func words(_ response: Response) -> (status: Int, headers: [String: String], body: String) {
        let headers = response.headers.fields.filter { $0.name != ":status" }
        return (
            response.status, Dictionary(headers.map { ($0.name, $0.value) }) { $0 + ", " + $1 },
            String(decoding: response.body, as: UTF8.self)
        )
    }

    /// The answer to the request of this number on its connection, from 1.
    private func answer(_ provider: TestProvider, _ number: Int) async throws -> (
        status: Int, headers: [String: String], body: String
    ) {
        try #require(await provider.waitForResponses(number))
        return words(provider.responses[number - 1])
    }

    @Test("parity: F11 – a channel's life over the management port", arguments: Rehearsal.Stage.allCases)
    func aChannelsLife(_ stage: Rehearsal.Stage) async throws {
        let rehearsal = try Rehearsal(stage)
        let manager = try await rehearsal.provider(management: true)
        let given = ["apns-request-id": Self.id]
        let echoed = [("apns-request-id", Self.id)]

        manager.request(rehearsal.headers("POST", Self.channels, echoed), Self.creation)
        let created = try await answer(manager, 1)
        let channel = try #require(created.headers["apns-channel-id"])
        #expect(created.status == 201)
        #expect(created.headers == ["apns-request-id": Self.id, "apns-channel-id": channel])
        #expect(created.body.isEmpty)
        #expect(channel.count == 24)

        let named = echoed + [("apns-channel-id", channel)]
        manager.request(rehearsal.headers("GET", Self.channels, named))
        let read = try await answer(manager, 2)
        #expect(read.status == 200)
        #expect(read.headers == ["apns-request-id": Self.id, "content-type": "application/json"])
        #expect(read.body == #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)

        manager.request(rehearsal.headers("GET", Self.allChannels, echoed))
        let list = try await answer(manager, 3)
        #expect(list.status == 200)
        #expect(list.headers == ["apns-request-id": Self.id, "content-type": "application/json"])
        #expect(list.body == #"{"channels":["\#(channel)"]}"#)

        manager.request(rehearsal.headers("DELETE", Self.channels, named))
        let deleted = try await answer(manager, 4)
        #expect(deleted.status == 204)
        #expect(deleted.headers == given)
        #expect(deleted.body.isEmpty)

        manager.request(rehearsal.headers("GET", Self.channels, named))
        let gone = try await answer(manager, 5)
        #expect(gone.status == 400)
        #expect(gone.headers == ["apns-request-id": Self.id, "content-type": "application/json"])
        #expect(gone.body == #"{"reason":"ChannelNotRegistered"}"#)

        manager.request(rehearsal.headers("DELETE", Self.channels, named))
        let twice = try await answer(manager, 6)
        #expect((twice.status, twice.body) == (404, #"{"reason":"BadPath"}"#))

        manager.request(rehearsal.headers("GET", Self.allChannels))
        let empty = try await answer(manager, 7)
        #expect(empty.body == #"{"channels":[]}"#)
        let made = try #require(empty.headers["apns-request-id"])
        #expect(made.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
        #expect(manager.limits == [1, 1000])
    }

    @Test("parity: F11 – a broadcast over the push port", arguments: Rehearsal.Stage.allCases)
    func aBroadcast(_ stage: Rehearsal.Stage) async throws {
        let rehearsal = try Rehearsal(stage) { $0.environment = .development }
        let channels = rehearsal.apns.channels
        let app = "com.example.app"
        let channel = try #require(channels.create(for: app, in: .development)?.id)
        let storing = try #require(channels.create(for: app, storing: .mostRecentMessage, in: .development)?.id)
        let provider = try await rehearsal.provider()

        provider.push(rehearsal.broadcast(to: channel, [("apns-request-id", Self.id)]))
        let accepted = try await answer(provider, 1)
        #expect(accepted.status == 200)
        #expect(accepted.headers == ["apns-request-id": Self.id])
        #expect(accepted.body.isEmpty)

        provider.push(rehearsal.broadcast(to: storing))
        let fresh = try await answer(provider, 2)
        #expect(fresh.status == 200)
        #expect(fresh.headers.keys.sorted() == ["apns-request-id"])

        provider.push(rehearsal.broadcast(to: channel, [("apns-request-id", Self.id)]), body: 5121)
        let large = try await answer(provider, 3)
        #expect(large.status == 413)
        #expect(large.headers == ["apns-request-id": Self.id, "content-type": "application/json"])
        #expect(large.body == #"{"reason":"PayloadTooLarge"}"#)

        provider.push(rehearsal.broadcast(to: channel, [("apns-request-id", "rubbish")]))
        let rubbish = try await answer(provider, 4)
        #expect((rubbish.status, rubbish.body) == (400, #"{"reason":"BadMessageId"}"#))
        #expect(rubbish.headers["apns-request-id"]?.count == 36)

        channels.delete(channel, of: app, in: .development)
        provider.push(rehearsal.broadcast(to: channel))
        let gone = try await answer(provider, 5)
        #expect((gone.status, gone.body) == (400, #"{"reason":"ChannelNotRegistered"}"#))

        // On one connection with device pushes.
        provider.push(rehearsal.headers())
        let push = try await answer(provider, 6)
        #expect(push.status == 200)
        #expect(push.headers.keys.sorted() == ["apns-id", "apns-unique-id"])
    }

    @Test("parity: F11 – each port answers for its own paths")
    func eachPortAnswersForItsOwnPaths() async throws {
        let rehearsal = try Rehearsal()
        let channel = try #require(rehearsal.apns.channels.create(for: "com.example.app")?.id)
        let pusher = try await rehearsal.provider()
        pusher.request(rehearsal.headers("POST", Self.channels), Self.creation)
        pusher.request(rehearsal.headers("GET", Self.allChannels))
        pusher.push(rehearsal.headers("POST", "/4/broadcasts/apps/"))
        pusher.push(rehearsal.headers("POST", "/4/anything"))
        let manager = try await rehearsal.provider(management: true)
        manager.push(rehearsal.headers())
        manager.push(rehearsal.broadcast(to: channel))
        manager.request(rehearsal.headers("GET", "/"))
        for (provider, count) in [(pusher, 4), (manager, 3)] {
            try #require(await provider.waitForResponses(count))
            for response in provider.responses {
                #expect(response.status == 404)
                #expect(words(response).body == #"{"reason":"BadPath"}"#)
            }
        }
        #expect(rehearsal.apns.channels.channels(of: "com.example.app").count == 1)
        let ledger = rehearsal.apns.ledger.snapshot
        #expect(ledger.refusals == [.badPath: 3])
        #expect(ledger.broadcasts.refusals == [.badPath: 1])
        #expect(ledger.channelRequests.refusals == [.badPath: 3])
    }

    @Test func withoutCredentialsNothingIsDone() async throws {
        let rehearsal = try Rehearsal()
        let manager = try await rehearsal.provider(management: true)
        let bare = rehearsal.headers("POST", Self.channels).filter { $0.0 != "authorization" }
        manager.request(bare, Self.creation)
        let refused = try await answer(manager, 1)
        #expect((refused.status, refused.body) == (403, #"{"reason":"MissingProviderToken"}"#))
        #expect(manager.limits == [1])
        let certified = try await rehearsal.provider(certificate: true, management: true)
        certified.request(bare, Self.creation)
        let mismatch = try await answer(certified, 1)
        #expect(mismatch.status == 201)
        #expect(certified.limits == [1000])
        certified.request(
            bare.map { $0.0 == ":path" ? ($0.0, "/1/apps/com.example.other/channels") : $0 }, Self.creation)
        let other = try await answer(certified, 2)
        #expect((other.status, other.body) == (403, #"{"reason":"TopicMismatch"}"#))
    }

    @Test func theLedgerTellsBroadcastsFromPushes() async throws {
        let rehearsal = try Rehearsal()
        let manager = try await rehearsal.provider(management: true)
        manager.request(rehearsal.headers("POST", Self.channels, [("apns-request-id", Self.id)]), Self.creation)
        let channel = try #require(try await answer(manager, 1).headers["apns-channel-id"])
        manager.request(rehearsal.headers("GET", Self.channels))
        _ = try await answer(manager, 2)
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.broadcast(to: channel, [("apns-request-id", Self.id)]), body: 30)
        provider.push(rehearsal.broadcast(to: "AAAA"))
        provider.push(rehearsal.headers())
        try #require(await provider.waitForResponses(3))

        let ledger = rehearsal.apns.ledger
        let snapshot = ledger.snapshot
        #expect((snapshot.pushes, snapshot.accepted, snapshot.answered) == (1, 1, 1))
        #expect(snapshot.refusals.isEmpty)
        #expect((snapshot.broadcasts.requests, snapshot.broadcasts.accepted, snapshot.broadcasts.refused) == (2, 1, 1))
        #expect(snapshot.broadcasts.refusals == [.badChannelID: 1])
        #expect((snapshot.channelRequests.requests, snapshot.channelRequests.accepted) == (2, 1))
        #expect(snapshot.channelRequests.refusals == [.missingChannelID: 1])
        #expect((snapshot.connections, snapshot.handshakes) == (2, 2))
        #expect(ledger.records.count == 1)
        #expect(ledger.count(channelID: channel).accepted == 1)
        #expect(ledger.count(channelID: "AAAA").refused == 1)

        let records = ledger.channelRecords
        #expect(records.map(\.action) == [.create, .read, .broadcast, .broadcast])
        #expect(records.map(\.status) == [201, 400, 200, 400])
        #expect(records.map(\.channelID) == [channel, nil, channel, "AAAA"])
        #expect(records.allSatisfy { $0.bundleID == "com.example.app" && $0.providerToken == 1 })
        #expect(records.map(\.requestID) == [Self.id, nil, Self.id, nil])
        #expect(records.map(\.bodyCount) == [Self.creation.count, 0, 30, 20])
        #expect((records[2].priority, records[2].expiration) == ("10", "0"))
        ledger.reset()
        #expect(ledger.channelRecords.isEmpty)
        #expect((ledger.snapshot.broadcasts.requests, ledger.snapshot.channelRequests.requests) == (0, 0))
        #expect(ledger.count(channelID: channel).accepted == 0)
    }

    @Test func theLimitIsReachedOverTheWire() async throws {
        let rehearsal = try Rehearsal { $0.channels = ChannelRegistry(limit: 3) }
        let manager = try await rehearsal.provider(management: true)
        manager.request(rehearsal.headers("POST", Self.channels), Self.creation, count: 4)
        try #require(await manager.waitForResponses(4))
        #expect(manager.responses.map(\.status) == [201, 201, 201, 400])
        #expect(words(manager.responses[3]).body == #"{"reason":"CannotCreateChannelConfig"}"#)
        #expect(manager.responses[3].headers.first("apns-channel-id") == nil)
    }

    /// The answer is four times a stream's window.
    @Test(arguments: Rehearsal.Stage.allCases) func tenThousandChannelsAreListedAndNotOneMore(
        _ stage: Rehearsal.Stage
    ) async throws {
        let rehearsal = try Rehearsal(stage)
        let channels = rehearsal.apns.channels
        for _ in 0..<10_000 { channels.create(for: "com.example.app") }
        let manager = try await rehearsal.provider(management: true)
        manager.request(rehearsal.headers("POST", Self.channels), Self.creation)
        #expect(try await answer(manager, 1).body == #"{"reason":"CannotCreateChannelConfig"}"#)
        manager.request(rehearsal.headers("GET", Self.allChannels))
        let ids = channels.channels(of: "com.example.app").map { #""\#($0.id)""# }.joined(separator: ",")
        #expect(try await answer(manager, 2).body == #"{"channels":[\#(ids)]}"#)
        #expect(channels.channels(of: "com.example.app").count == 10_000)
    }

    @Test func theSameSeedMakesTheSameChannels() async throws {
        var made: [[String?]] = []
        for seed: UInt64 in [5, 5, 6] {
            let rehearsal = try Rehearsal { $0.seed = seed }
            let manager = try await rehearsal.provider(management: true)
            manager.request(rehearsal.headers("POST", Self.channels), Self.creation, count: 3)
            try #require(await manager.waitForResponses(3))
            made.append(manager.responses.map { $0.headers.first("apns-channel-id") })
        }
        #expect(made[0] == made[1])
        #expect(made[0] != made[2])
        #expect(!made[0].contains(nil))
    }

    @Test func bothPortsComeBackAfterAStop() async throws {
        let rehearsal = try Rehearsal(.loopback)
        let manager = try await rehearsal.provider(management: true)
        rehearsal.apns.stop()
        #expect(await manager.waitUntilClosed())
        let refused = TestProvider()
        #expect(
            try await !refused.connect(
                rehearsal.connector, to: rehearsal.management, trusting: rehearsal.apns.credentials))
        #expect(try rehearsal.apns.start() == rehearsal.endpoint.port)
        #expect(rehearsal.apns.managementPort == rehearsal.management.port)
        let again = try await rehearsal.provider(management: true)
        again.request(rehearsal.headers("GET", Self.allChannels))
        #expect(try await answer(again, 1).status == 200)
    }

    @Test func aManagementPortInUseIsAClearError() throws {
        let rehearsal = try Rehearsal(.loopback)
        var configuration = SimulatedAPNs.Configuration()
        configuration.managementPort = rehearsal.management.port
        let second = try SimulatedAPNs(configuration)
        #expect { try second.start() } throws: { ($0 as? SimulatorError)?.code == .listen }
        #expect(second.port == nil)
        #expect(second.managementPort == nil)
    }
}
