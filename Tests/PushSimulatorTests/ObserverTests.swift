import PushHTTP2
import PushLocking
import Testing

@testable import PushSimulator

/// What an observer sees of a simulator, and that its ledger is the same with one.
@Suite("An observer of the simulator", .timeLimit(.minutes(5))) struct ObserverTests {
    private final class Observer: SimulatorObserver {
        struct Seen {
            var pushes: [ObservedPush] = []
            var requests: [Ledger.ChannelRecord] = []
            var events: [ProviderEvent] = []
        }

        let seen = Locked(Seen())

        func arrived(_ pushes: [ObservedPush]) { seen.withLock { $0.pushes += pushes } }
        func arrived(_ requests: [Ledger.ChannelRecord]) { seen.withLock { $0.requests += requests } }
        func noted(_ event: ProviderEvent) { seen.withLock { $0.events.append(event) } }

        var pushes: [ObservedPush] { seen.withLock { $0.pushes } }
    }

    private static let body = Array(#"{"aps":{"alert":"Boarding"}}"#.utf8)

    @Test func seesWholePushesOfALedgerThatKeepsNone() async throws {
        let rehearsal = try Rehearsal { $0.ledger = .counters }
        let observer = Observer()
        #expect(rehearsal.apns.observe(observer))
        let provider = try await rehearsal.provider()
        provider.request(rehearsal.headers([("apns-push-type", "alert")]), Self.body)
        provider.request(rehearsal.headers([("apns-priority", "7")]), Self.body)
        try #require(await provider.waitForResponses(2))
        let pushes = observer.pushes
        #expect(
            pushes.map(\.status) == [200, 400] && pushes.map { $0.makeRecord().payload } == [Self.body, Self.body])
        #expect(pushes.map(\.refusedAt) == [nil, 16])
        #expect(String(decoding: pushes[0].makeRecord().headerLines, as: UTF8.self).contains("apns-push-type: alert\n"))
        #expect(!String(decoding: pushes[0].makeRecord().headerLines, as: UTF8.self).contains(rehearsal.token))
        let credentials = rehearsal.apns.credentials
        guard case .token(let keyID, let teamID, _)? = pushes[0].sender else {
            Issue.record("no sender")
            return
        }
        #expect(keyID == credentials.keyID && teamID == credentials.teamID && pushes[0].answeredID.count == 36)
        let snapshot = rehearsal.apns.ledger.snapshot
        #expect(snapshot.pushes == 2 && snapshot.unrecorded == 0 && rehearsal.apns.ledger.records.isEmpty)
        let kinds = observer.seen.withLock { $0.events.map(\.kind) }
        #expect(kinds.prefix(2) == [.opened, .established])
    }

    @Test func changesNothingThatTheLedgerKeeps() async throws {
        let rehearsal = try Rehearsal { $0.ledger = Ledger.Detail(distinctKeys: 0, records: 1) }
        let observer = Observer()
        #expect(rehearsal.apns.observe(observer))
        let provider = try await rehearsal.provider()
        for _ in 0..<3 { provider.request(rehearsal.headers(), Self.body) }
        try #require(await provider.waitForResponses(3))
        #expect(observer.pushes.count == 3 && observer.pushes.allSatisfy { $0.makeRecord().payload == Self.body })
        let records = rehearsal.apns.ledger.records
        #expect(records.count == 1 && records.allSatisfy { $0.payload.isEmpty && $0.headerLines.isEmpty })
        #expect(rehearsal.apns.ledger.snapshot.unrecorded == 2)
    }

    @Test func whoHasLeftSeesNothingAndNothingCountsAsLeftOut() async throws {
        let rehearsal = try Rehearsal { $0.ledger = .counters }
        let observer = Observer()
        #expect(rehearsal.apns.observe(observer) && !rehearsal.apns.observe(Observer()))
        let provider = try await rehearsal.provider()
        provider.request(rehearsal.headers(), Self.body)
        try #require(await provider.waitForResponses(1))
        rehearsal.apns.stopObserving(Observer())
        provider.request(rehearsal.headers(), Self.body)
        try #require(await provider.waitForResponses(2))
        rehearsal.apns.stopObserving(observer)
        provider.request(rehearsal.headers(), Self.body)
        try #require(await provider.waitForResponses(3))
        #expect(observer.pushes.count == 2 && rehearsal.apns.ledger.snapshot.unrecorded == 0)
        #expect(rehearsal.apns.observe(Observer()))
    }

    @Test func whoComesLateSeesThePushesOfAnOpenConnection() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        provider.request(rehearsal.headers(), Self.body)
        try #require(await provider.waitForResponses(1))
        let observer = Observer()
        #expect(rehearsal.apns.observe(observer))
        provider.request(rehearsal.headers([("x-push-session", "s")]), Self.body)
        try #require(await provider.waitForResponses(2))
        let push = try #require(observer.pushes.first)
        #expect(push.makeRecord().payload == Self.body && push.sender != nil)
        #expect(String(decoding: push.makeRecord().headerLines, as: UTF8.self).contains("x-push-session: s\n"))
        #expect(rehearsal.apns.ledger.records.allSatisfy { $0.headerLines.isEmpty })
    }

    @Test func seesWhoSentWhatWasRefusedForItsToken() async throws {
        let rehearsal = try Rehearsal()
        let observer = Observer()
        #expect(rehearsal.apns.observe(observer))
        let provider = try await rehearsal.provider()
        let old = try rehearsal.apns.credentials.providerToken(issuedAt: Date(timeIntervalSince1970: 1_000))
        let others = rehearsal.headers(authorization: false)
        provider.request(others + [("authorization", "bearer " + old)], Self.body)
        provider.request(others + [("authorization", "bearer forged")], Self.body)
        try #require(await provider.waitForResponses(2))
        guard case .token(_, _, let issuedAt)? = observer.pushes.first?.sender else {
            Issue.record("no sender")
            return
        }
        #expect(issuedAt == 1_000 && observer.pushes.last?.sender == nil)
        #expect(observer.pushes.map(\.refusal) == [.expiredProviderToken, .invalidProviderToken])
    }

    @Test func seesBroadcastsWithTheirPayload() async throws {
        let rehearsal = try Rehearsal { $0.ledger = .counters }
        let observer = Observer()
        #expect(rehearsal.apns.observe(observer))
        let provider = try await rehearsal.provider()
        provider.request(rehearsal.broadcast(to: "dHN0LXNyY2gtY2hubA=="), Self.body)
        try #require(await provider.waitForResponses(1))
        let request = try #require(observer.seen.withLock { $0.requests.first })
        #expect(request.payload == Self.body && request.channelID == "dHN0LXNyY2gtY2hubA==")
        #expect(rehearsal.apns.ledger.channelRecords.isEmpty && rehearsal.apns.ledger.snapshot.unrecorded == 0)
    }

    @Test func isToldHowConnectionsStand() async throws {
        let rehearsal = try Rehearsal()
        #expect(rehearsal.apns.observe(Observer()))
        let provider = try await rehearsal.provider()
        rehearsal.apns.holdAnswers()
        provider.request(rehearsal.headers(), Self.body)
        #expect(await rehearsal.apns.ledger.wait { $0.pushes == 1 })
        // The report is written at the end of the burst, which the barrier of another message follows.
        rehearsal.apns.releaseAnswers()
        try #require(await provider.waitForResponses(1))
        let report = try #require(rehearsal.apns.connectionReports.first)
        #expect(report.requests == 1 && report.refusals == 0 && !report.isManagement)
        #expect(report.phase == .open && report.identity != nil && report.tokenArrivedAt != nil)
    }
}
