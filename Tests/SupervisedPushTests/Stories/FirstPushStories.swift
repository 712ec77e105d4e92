import Dispatch
import Foundation
import PushLocking
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// A client and the simulator over memory: no socket, no real time.
@Suite(.timeLimit(.minutes(5))) struct FirstPushStories {
    @Test("parity: E1, X2 – a named connection pushes and gives status, headers and body")
    func aNamedConnectionPushes() async throws {
        let stage = try Rehearsal.inMemory()
        let pid = try #require(try stage.runtime.connect(name: "orders", config: stage.config).pid)
        let answer = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token())
        #expect(answer.isAccepted && answer.status == 200)
        #expect(answer.apnsID != nil && answer.headers["apns-id"] != nil && answer.body.isEmpty)
        #expect(stage.runtime.pid(of: "orders") == pid)
        #expect(stage.apple.ledger.snapshot.accepted == 1)
        await stage.end()
    }

    @Test("parity: E2, E10 – an anonymous connection is known by its pid, in every form")
    func anAnonymousConnectionPushesInEveryForm() async throws {
        let stage = try Rehearsal.inMemory()
        let pid = try #require(try stage.runtime.connect(config: stage.config).pid)
        let answer = try await stage.runtime.push(pid, Samples.flight, to: Samples.token(1))
        #expect(answer.isAccepted)
        let book = OutcomeBook()
        stage.runtime.push(pid, Samples.flight, to: Samples.token(2), completion: book.completion(2))
        await book.wait(for: 1)
        #expect(book.summary == ["accepted": 1])
        try stage.runtime.send(pid, Samples.flight, to: Samples.token(3))
        #expect(try await stage.runtime.connection(pid).drain(within: .seconds(5)))
        #expect(stage.apple.ledger.snapshot.accepted == 3)
        await stage.end()
    }

    @Test("parity: E2, X7 – provider token, members, size and request are asked for by pid as by name")
    func whatIsAskedByNameIsAskedByPid() async throws {
        let stage = try Rehearsal.inMemory()
        let single = try #require(try stage.runtime.connect(config: stage.config).pid)
        let named = try #require(try stage.runtime.connect(name: "orders", config: stage.config).pid)
        let pool = try #require(try stage.runtime.connect(name: "bulk", size: 2, config: stage.config).pid)
        let token = try #require(try stage.runtime.connection(single).providerToken())
        #expect(try stage.runtime.connection(pool).providerToken() == token)
        #expect(try stage.runtime.connection(named: "orders").providerToken() == token)
        #expect(try stage.runtime.connection(single).members.map(\.status).map(\.pid) == [single])
        // A pool's connections have no pid before their first process.
        try await until { try !stage.runtime.connection(pool).members.map(\.status).contains(where: { $0.pid == nil }) }
        let members = try stage.runtime.connection(pool).members.map(\.status).map(\.pid)
        #expect(members.count == 2 && !members.contains(pool))
        #expect(try stage.runtime.connection(named: "bulk").members.map(\.status).map(\.pid) == members)
        try stage.runtime.connection(pool).resize(to: 3...3)
        try await until { try stage.runtime.connection(pool).members.map(\.status).count == 3 }
        let error = #expect(throws: ConnectError.self) { try stage.runtime.connection(named).resize(to: 3...3) }
        #expect(error?.code == .configuration && error?.description.contains("\(named) is a single") == true)
        #expect(
            try stage.runtime.connection(named).preview(Samples.flight, to: Samples.token())
                == stage.runtime.connection(named: "orders").preview(Samples.flight, to: Samples.token()))
        try await stage.runtime.connection(single).close()
        for call in [
            { _ = try stage.runtime.connection(single).providerToken() },
            { _ = try stage.runtime.connection(single).members.map(\.status) },
            { try stage.runtime.connection(single).resize(to: 1...1) },
        ] {
            let error = #expect(throws: LookupError.self) { try call() }
            #expect(error?.code == .noProcess)
        }
        await stage.end()
    }

    @Test("parity: R1 – the blocking form, for synchronous code")
    func theBlockingFormAnswers() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.config)
        let runtime = stage.runtime
        let answer = try await onAThread {
            try runtime.connection(named: "orders").pushBlocking(Samples.flight, to: Samples.token())
        }
        #expect(answer.isAccepted)
        await stage.end()
    }

    @Test func theBlockingFormRefusesAQueueOfTheRuntime() async throws {
        let stage = try Rehearsal.inMemory()
        let orders = try stage.runtime.connect(name: "orders", config: stage.config)
        let code = await withCheckedContinuation { (continuation: CheckedContinuation<PushError.Code?, Never>) in
            orders.push(Samples.flight, to: Samples.token()) { _ in
                do throws(PushError) {
                    _ = try orders.pushBlocking(Samples.flight, to: Samples.token())
                    continuation.resume(returning: nil)
                } catch { continuation.resume(returning: error.code) }
            }
        }
        #expect(code == .wouldDeadlock)
        await stage.end()
    }

    @Test("parity: E6 – certificate mode")
    func aCertificatePushesWithoutAProviderToken() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.certificateConfig)
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token()).isAccepted)
        #expect(try stage.runtime.connection(named: "orders").providerToken() == nil)
        await stage.end()
    }

    @Test("parity: E1 – a live duplicate is refused with the existing pid; after close the name is free")
    func aNameTakenIsRefusedWithItsHolder() async throws {
        let stage = try Rehearsal.inMemory()
        let pid = try #require(try stage.runtime.connect(name: "orders", config: stage.config).pid)
        let error = #expect(throws: ConnectError.self) {
            try stage.runtime.connect(name: "orders", config: stage.config)
        }
        #expect(error?.code == .nameTaken && error?.holder == pid)
        try await stage.runtime.close(name: "orders")
        #expect(stage.runtime.pid(of: "orders") == nil)
        try stage.runtime.connect(name: "orders", config: stage.config)
        await stage.end()
    }

    @Test func ofManyThatConnectUnderOneNameAllButOneFindItTaken() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.mute()
        for _ in 0..<50 {
            let codes = await withTaskGroup(of: ConnectError.Code?.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        do throws(ConnectError) {
                            try stage.runtime.connect(name: "orders", config: stage.config)
                            return nil
                        } catch {
                            return error.code
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.filter { $0 == nil }.count == 1 && codes.filter { $0 == .nameTaken }.count == 3)
            try await stage.runtime.close(name: "orders", within: .zero)
        }
        await stage.end()
    }

    @Test("parity: X10 – an unknown name is nil, and an error to push to, once, in every form")
    func anUnknownNameIsAnError() async throws {
        let stage = try Rehearsal.inMemory()
        #expect(stage.runtime.pid(of: "nobody") == nil)
        await #expect(throws: PushError.self) {
            try await stage.runtime.push(name: "nobody", Samples.flight, to: Samples.token())
        }
        #expect(throws: PushError.self) { try stage.runtime.send(name: "nobody", Samples.flight, to: Samples.token()) }
        let book = OutcomeBook()
        stage.runtime.push(name: "nobody", Samples.flight, to: Samples.token(), completion: book.completion(1))
        await book.wait(for: 1)
        #expect(book.summary == ["unknown_name not_sent": 1])
        await stage.end()
    }

    @Test func aPushToADeadPidIsAnError() async throws {
        let stage = try Rehearsal.inMemory()
        let pid = try #require(try stage.runtime.connect(config: stage.config).pid)
        try await stage.runtime.connection(pid).close()
        let error = await #expect(throws: PushError.self) {
            try await stage.runtime.push(pid, Samples.flight, to: Samples.token())
        }
        #expect(error?.code == .noProcess && error?.certainty == .notSent)
        await stage.end()
    }

    @Test("parity: X7 – the provider token of a connection")
    func theProviderTokenIsTheOneTheConnectionUses() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.config)
        let token = try #require(try stage.runtime.connection(named: "orders").providerToken())
        #expect(token.jwt.split(separator: ".").count == 3)
        #expect(try stage.runtime.connection(named: "orders").providerToken() == token)
        await stage.end()
    }

    @Test("parity: E7, E8 – defaults are overridden per push, also the provider token")
    func defaultsAreOverriddenPerPush() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.config)
        var push = Samples.flight
        push.topic = Topic(stage.apple.credentials.topic + ".voip")
        push.pushType = .voip
        push.apnsID = .fixed(APNSID(high: 1, low: 2))
        let answer = try await stage.runtime.push(name: "orders", push, to: Samples.token())
        #expect(answer.apnsID == APNSID(high: 1, low: 2))
        #expect(stage.apple.ledger.records.last?.topic == push.topic?.rawValue)
        var forged = Samples.flight
        forged.authorization = try BearerToken("aa.bb.cc")
        let refused = try await stage.runtime.push(name: "orders", forged, to: Samples.token())
        #expect(refused.reason == .invalidProviderToken)
        await stage.end()
    }

    @Test("parity: E8 – a valid token of the caller is accepted, and the connection's own goes on after it")
    func aPushWithATokenOfItsOwnIsAccepted() async throws {
        let stage = try Rehearsal.inMemory()
        let time = try #require(stage.time)
        try stage.runtime.connect(name: "orders", config: stage.config)
        func push(_ notification: PushNotification, _ number: Int) async throws -> PushResponse {
            try await stage.runtime.push(name: "orders", notification, to: Samples.token(number))
        }
        #expect(try await push(Samples.flight, 0).isAccepted)
        // APNs takes another token on a connection only after 20 minutes.
        time.advance(by: .seconds(20 * 60 + 1))
        var own = Samples.flight
        own.authorization = try BearerToken(
            stage.apple.credentials.providerToken(issuedAt: Date(unixMilliseconds: time.wallClockMilliseconds)))
        #expect(try await push(own, 1).isAccepted)
        time.advance(by: .seconds(20 * 60 + 1))
        #expect(try await push(Samples.flight, 2).isAccepted)
        #expect(stage.apple.ledger.records.map(\.providerToken) == [1, 2, 1])
        #expect(stage.apple.ledger.snapshot.connections == 1)
        await stage.end()
    }

    /// Where a signing key comes from.
    enum KeySource: String, CaseIterable { case file, memory, loader }

    @Test(
        "parity: E4, E26 – a key from a file, from memory or from a loader makes tokens that APNs takes",
        arguments: KeySource.allCases)
    func aKeyFromAnywherePushes(source: KeySource) async throws {
        let stage = try Rehearsal.inMemory()
        let credentials = stage.apple.credentials
        let pem = Array(credentials.signingKeyPEM.utf8)
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "AuthKey_\(credentials.keyID).p8")
        try Data(pem).write(to: file)
        let credential: Credential =
            switch source {
            case .file: .token(key: .file(file.path), teamID: credentials.teamID)
            case .memory: .token(key: .bytes(pem), keyID: credentials.keyID, teamID: credentials.teamID)
            case .loader:
                .token(key: .loader("vault") { pem }, keyID: credentials.keyID, teamID: credentials.teamID)
            }
        try stage.runtime.connect(name: "orders", config: stage.patientConfig.with { $0.credential = credential })
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token()).isAccepted)
        await stage.end()
    }

    @Test("parity: E13, P6 – an unregistered device is an answer with its reason, and feedback with its time")
    func feedbackTellsWhenADeviceBecameInvalid() async throws {
        let stage = try Rehearsal.inMemory()
        let (events, continuation) = AsyncStream<FeedbackEvent>.makeStream()
        let config = stage.config.with { $0.feedback = { continuation.yield($0) } }
        try stage.runtime.connect(name: "orders", config: config)
        let device = Samples.unregistered()
        let answer = try await stage.runtime.push(name: "orders", Samples.flight, to: device)
        #expect(answer.status == 410 && answer.reason == .unregistered)
        var iterator = events.makeAsyncIterator()
        let event = try #require(await iterator.next())
        #expect(event.deviceToken == device && event.connectionName == "orders" && event.basis == .reported)
        #expect(event.invalidatedAtMilliseconds == answer.timestampMilliseconds)
        #expect(event.invalidatedAt == Date(unixSeconds: (answer.timestampMilliseconds ?? 0) / 1_000))
        #expect(event.subject == device.hex)
        await stage.end()
    }

    @Test func aPushThatApnsWouldRefuseIsRefusedAtTheCall() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.config)
        let large = PushNotification.alert(body: String(repeating: "x", count: 5_000))
        let error = await #expect(throws: PushError.self) {
            try await stage.runtime.push(name: "orders", large, to: Samples.token())
        }
        #expect(error?.code == .payloadTooLarge && error?.certainty == .notSent)
        #expect(stage.apple.ledger.snapshot.pushes == 0)
        await stage.end()
    }

    @Test func aThousandAtOnceFollowTheLimitFromOneToAThousand() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.config)
        let book = OutcomeBook()
        for number in 0..<1_000 {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
        await book.wait(for: 1_000)
        #expect(book.summary == ["accepted": 1_000] && book.endedOnceEach)
        #expect(book.order == Array(0..<1_000))
        #expect(stage.apple.ledger.snapshot.accepted == 1_000)
        await stage.end()
    }
}

/// Runs synchronous code on a thread of its own pool, as a synchronous caller would.
func onAThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withHandOver { handOver in
        DispatchQueue.global().async { handOver.resume(returning: Result { try body() }) }
    }.get()
}
