import Foundation
import ProcessRuntime
import PushSimulator
import PushTransport
import SupervisedPush
import TestSupport
import Testing

/// Where a connection goes, on which way, and as whom.
@Suite("parity: P9 – the status names endpoint, port in use, proxy and credential", .timeLimit(.minutes(5)))
struct StatusStories {
    @Test func aKeyIsNamedByItsIDAndItsTeam() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.config)
        let pool = try #require(try stage.runtime.connect(name: "bulk", size: 2, config: stage.config).pid)
        let credentials = stage.apple.credentials
        for status in try [stage.runtime.connection(named: "orders").status, stage.runtime.connection(pool).status]
            + stage.runtime.connection(pool).members.map(\.status)
        {
            #expect(status.host == "localhost" && status.port == 443 && status.proxy == nil)
            #expect(status.credential.kind == .key && status.credential.keyID == credentials.keyID)
            #expect(status.credential.teamID == credentials.teamID && status.credential.subject == nil)
            #expect("\(status.credential)" == "key \(credentials.keyID) of team \(credentials.teamID)")
        }
        let json = try JSONEncoder().encode(stage.runtime.connection(named: "orders").status)
        let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        #expect(object["host"] as? String == "localhost" && object["port"] as? Int == 443)
        let credential = try #require(object["credential"] as? [String: String])
        #expect(credential == ["kind": "key", "keyID": credentials.keyID, "teamID": credentials.teamID])
        await stage.end()
    }

    @Test func aCertificateIsNamedBySubjectAndExpiryAlsoOnceItReplacedAKey() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.config)
        try await stage.runtime.connection(named: "orders").waitUntilUp()
        try await stage.runtime.connection(named: "orders").replaceCredential(with: stage.certificateConfig.credential)
        let credential = try stage.runtime.connection(named: "orders").status.credential
        #expect(credential.kind == .certificate && credential.keyID == nil && credential.teamID == nil)
        #expect(credential.subject?.contains(stage.apple.credentials.topic) == true)
        let now = Date(unixMilliseconds: try #require(stage.time).wallClockMilliseconds)
        #expect(try #require(credential.notAfter) > now)
        let text = "\(credential)"
        #expect(text.hasPrefix("certificate ") && text.contains("valid until"))
        await stage.end()
    }

    @Test func aTokenSourceIsNamed() async throws {
        let stage = try Rehearsal.inMemory()
        let config = stage.config.with {
            $0.credential = .tokens(from: "the vault") { throw CancellationError() }
        }
        try stage.runtime.connect(name: "orders", config: config)
        let credential = try stage.runtime.connection(named: "orders").status.credential
        #expect(credential.kind == .tokens && credential.source == "the vault")
        await stage.end()
    }

    @Test func theProxyIsShownWithoutItsPasswordAndThePortIsTheOneInUse() async throws {
        let stage = try Rehearsal.inMemory()
        let network = try #require(stage.network).network
        let place = Endpoint(host: "proxy.example", port: 3_128)
        // Only 2197 leads anywhere.
        let proxy = RelayProxy(on: network, at: place, to: Endpoint(host: "localhost", port: 443), .refuse(403))
        let owner = Mailbox<LifecycleMessage>()
        let config = stage.config.with {
            $0.host = "apns.test"
            $0.portFallback = true
            $0.proxy = .http(host: place.host, port: place.port, user: "me", password: "secret")
        }
        try stage.runtime.connect(name: "orders", config: config, owner: owner)
        _ = await owner.receive(where: \.isReconnecting)
        try await until { try stage.runtime.connection(named: "orders").status.port == 2_197 }
        proxy.behave(.relay)
        let time = try #require(stage.time)
        await time.waitUntilArmed(by: time.now.advanced(by: .seconds(1)))
        time.advance(by: .seconds(1))
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token()).isAccepted)
        let status = try stage.runtime.connection(named: "orders").status
        #expect(status.phase == .up && status.host == "apns.test" && status.port == 2_197)
        #expect(status.proxy?.contains("proxy.example:3128") == true && status.proxy?.contains("secret") == false)
        let tree = String(decoding: try JSONEncoder().encode(stage.runtime.supervisionTree), as: UTF8.self)
        #expect(tree.contains("proxy.example") && !tree.contains("secret"))
        await stage.end()
    }

    @Test("a payload over the connection's own limit is refused at the call, in every form")
    func aConnectionHasAPayloadLimitOfItsOwn() async throws {
        let stage = try Rehearsal.inMemory()
        let size = Samples.flight.payload.count
        try stage.runtime.connect(name: "exact", config: stage.config.with { $0.limits.maxPayloadBytes = size })
        try stage.runtime.connect(name: "tight", config: stage.config.with { $0.limits.maxPayloadBytes = size - 1 })
        #expect(try await stage.runtime.push(name: "exact", Samples.flight, to: Samples.token()).isAccepted)
        // It is the connection's and not APNs': waiving APNs' rule changes nothing.
        let waived = Samples.flight.waiving(.payloadSize)
        let error = await #expect(throws: PushError.self) {
            try await stage.runtime.push(name: "tight", waived, to: Samples.token())
        }
        #expect(error?.code == .payloadTooLarge && error?.certainty == .notSent)
        #expect(error?.description.contains("maxPayloadBytes is \(size - 1)") == true)
        #expect(throws: PushError.self) { try stage.runtime.send(name: "tight", waived, to: Samples.token()) }
        #expect(throws: PushError.self) {
            try stage.runtime.connection(named: "tight").preview(waived, to: Samples.token())
        }
        let update = PushNotification(
            payload: try Payload(
                json:
                    #"{"aps":{"timestamp":1,"event":"update","content-state":{"a":"\#(String(repeating: "b", count: size))"}}}"#
            ))
        let broadcast = await #expect(throws: PushError.self) {
            try await stage.runtime.connection(named: "tight").broadcasts.push(update, to: ChannelID("AAAA"))
        }
        #expect(broadcast?.code == .payloadTooLarge)
        let config = #expect(throws: ConnectError.self) {
            try stage.runtime.connect(config: stage.config.with { $0.limits.maxPayloadBytes = 0 })
        }
        #expect(config?.description.contains("maxPayloadBytes") == true)
        // Channels are managed all the same: their requests are not the caller's.
        let channels = try stage.runtime.channels(config: stage.managementConfig.with { $0.limits.maxPayloadBytes = 1 })
        _ = try await channels.create(storage: .noStorage)
        #expect(stage.apple.ledger.snapshot.pushes == 1)
        await stage.end()
    }
}
