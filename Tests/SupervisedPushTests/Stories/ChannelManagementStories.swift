import ProcessRuntime
import PushHTTP2
import PushSimulator
import TestSupport
import Testing

@testable import SupervisedPush

/// The connection to the channel management: supervised, with the credential of the pushes, and the guard of the limit.
@Suite("parity: F11 – the management of channels", .timeLimit(.minutes(5)))
struct ChannelManagementStories {
    private static func failure(_ body: () async throws -> Void) async -> ChannelError? {
        do { try await body() } catch { return error as? ChannelError }
        return nil
    }

    @Test func refusalsCarryTheAnswerWithReasonAndAdvice() async throws {
        let stage = try Rehearsal.inMemory { $0.channels = ChannelRegistry(limit: 1) }
        let channels = try stage.runtime.channels(config: stage.managementConfig)
        let never = try ChannelID("AAAA")
        let bad = await Self.failure { _ = try await channels.read(never) }
        #expect(bad?.code == .refused && bad?.reason == .badChannelID && bad?.advice == .forgetChannel)
        #expect(bad?.certainty == .answered && bad?.response?.status == 400 && bad?.cause == nil)
        let gone = try await channels.create(storage: .noStorage)
        // APNs' own limit, which another program may have reached.
        let full = await Self.failure { _ = try await channels.create(storage: .noStorage) }
        #expect(full?.reason == .cannotCreateChannelConfiguration)
        #expect(full?.description.contains("Delete channels") == true)
        try await channels.delete(gone)
        let read = await Self.failure { _ = try await channels.read(gone) }
        #expect(read?.reason == .channelNotRegistered && read?.advice == .forgetChannel)
        let delete = await Self.failure { try await channels.delete(gone) }
        #expect(delete?.reason == .badPath && delete?.description.contains("does not exist") == true)
        stage.apple.channels.enabledBundleIDs = []
        let disabled = await Self.failure { _ = try await channels.list() }
        #expect(disabled?.reason == .broadcastFeatureNotEnabled && disabled?.advice == .fixCredential)
        await stage.end()
    }

    @Test func theLimitIsGuardedBeforeTheNetworkAlsoForManyAtOnce() async throws {
        let stage = try Rehearsal.inMemory()
        let topic = stage.apple.credentials.topic
        for _ in 0..<2 { stage.apple.channels.create(for: topic) }
        let channels = try stage.runtime.channels(config: stage.managementConfig, limit: 5)
        let results = await withTaskGroup(of: ChannelError?.self) { group in
            for _ in 0..<10 {
                group.addTask { await Self.failure { _ = try await channels.create(storage: .noStorage) } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count { $0 == nil } == 3)
        #expect(results.compactMap { $0?.code } == Array(repeating: .limitReached, count: 7))
        #expect(results.compactMap { $0 }.allSatisfy { $0.certainty == .notSent && $0.response == nil })
        // One list, and three creations.
        #expect(stage.apple.ledger.snapshot.channelRequests.requests == 4)
        #expect(stage.apple.ledger.channelRecords.first?.action == .list)
        let id = try #require(stage.apple.channels.channels(of: topic).first?.id)
        try await channels.delete(ChannelID(id))
        _ = try await channels.create(storage: .noStorage)
        let full = await Self.failure { _ = try await channels.create(storage: .noStorage) }
        #expect(full?.code == .limitReached)
        #expect(stage.apple.ledger.snapshot.channelRequests.requests == 6)
        // Others deleted some: a list tells.
        for channel in stage.apple.channels.channels(of: topic).prefix(2) {
            stage.apple.channels.delete(channel.id, of: topic)
        }
        #expect(try await channels.list().count == 3)
        _ = try await channels.create(storage: .noStorage)
        await stage.end()
    }

    @Test func tenThousandChannelsAreOneAnswer() async throws {
        let stage = try Rehearsal.inMemory()
        for _ in 0..<10_000 { stage.apple.channels.create(for: stage.apple.credentials.topic) }
        let channels = try stage.runtime.channels(config: stage.managementConfig)
        let ids = try await channels.list()
        #expect(ids.map(\.text) == stage.apple.channels.channels(of: channels.bundleID).map(\.id))
        let full = await Self.failure { _ = try await channels.create(storage: .noStorage) }
        #expect(full?.code == .limitReached)
        // Pushes keep their own bound.
        #expect(ClientSession.Configuration().maxBodyBytes == 16 << 10)
        await stage.end()
    }

    @Test func anExpiredTokenIsRenewedOnceForPushesAndChannels() async throws {
        let stage = try Rehearsal.inMemory()
        let channels = try stage.runtime.channels(config: stage.managementConfig)
        try stage.runtime.connect(name: "live", config: stage.patientConfig)
        _ = try await stage.runtime.push(name: "live", Samples.flight, to: Samples.token(1))
        _ = try await channels.list()
        let before = try stage.runtime.connection(named: "live").providerToken()
        // The machine's clock was two hours slow, and is set right: to APNs the token is two hours old.
        let time = try #require(stage.time)
        time.setWallClock(milliseconds: time.wallClockMilliseconds + 2 * 3_600_000)
        #expect(try await channels.list().isEmpty)
        #expect(try await stage.runtime.push(name: "live", Samples.flight, to: Samples.token(2)).isAccepted)
        let ledger = stage.apple.ledger
        let listed = ledger.channelRecords
        #expect(listed.map(\.status) == [200, 403, 200])
        #expect(listed.map(\.providerToken) == [1, 1, 2])
        #expect(ledger.records.map(\.providerToken) == [1, 1, 2] || ledger.records.map(\.providerToken) == [1, 2])
        let after = try stage.runtime.connection(named: "live").providerToken()
        #expect(before?.jwt != after?.jwt)
        await stage.end()
    }

    @Test func goAwayInTheMiddleLosesNothing() async throws {
        let stage = try Rehearsal.inMemory()
        let channels = try stage.runtime.channels(config: stage.managementConfig)
        _ = try await channels.list()
        stage.apple.faults.add(FaultRule(.pushNumber(10), .goAway(GoAway()), times: 1))
        let made = try await withThrowingTaskGroup(of: ChannelID.self) { group in
            for _ in 0..<40 { group.addTask { try await channels.create(storage: .noStorage) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(made.count == 40)
        #expect(Set(try await channels.list()) == made)
        #expect(stage.apple.ledger.snapshot.connections == 2)
        await stage.end()
    }

    @Test func aSilentManagementTimesOutAndSaysWhatIsKnown() async throws {
        let stage = try Rehearsal.inMemory()
        let channels = try stage.runtime.channels(config: stage.managementConfig)
        _ = try await channels.list()
        stage.apple.holdAnswers()
        let creation = Task {
            await Self.failure {
                _ = try await channels.create(storage: .noStorage, options: PushOptions(timeout: .seconds(7)))
            }
        }
        #expect(await stage.apple.ledger.wait(within: .seconds(120)) { $0.channelRequests.requests == 2 })
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(7)))
        stage.time?.advance(by: .seconds(7))
        let error = await creation.value
        #expect(error?.cause?.code == .timedOut && error?.certainty == .unknown)
        #expect(error?.description.contains("may have been created") == true)
        stage.apple.releaseAnswers()
        #expect(try await channels.list().count == 1)
        await stage.end()
    }

    @Test func aCreationThatMayHaveBeenDoneIsNotSentAgainWhateverTheOptionsSay() async throws {
        let stage = try Rehearsal.inMemory()
        let channels = try stage.runtime.channels(
            config: stage.managementConfig.with { $0.retry.resend = .resendUnknown })
        _ = try await channels.list()
        stage.apple.holdAnswers()
        let creation = Task {
            await Self.failure {
                _ = try await channels.create(storage: .noStorage, options: PushOptions(resend: .resendUnknown))
            }
        }
        #expect(await stage.apple.ledger.wait(within: .seconds(120)) { $0.channelRequests.requests == 2 })
        await stage.apple.cutConnections()
        let error = await creation.value
        #expect(error?.cause?.code == .connectionLost && error?.certainty == .unknown)
        #expect(stage.apple.channels.channels(of: "com.example.app").count == 1)
        await stage.end()
    }

    @Test(
        "a creation that APNs answered 500 or 503 may have been done, and is not retried",
        arguments: [Refusal.internalServerError, .serviceUnavailable, .shutdown])
    func aCreationThatFailedOverThere(refusal: Refusal) async throws {
        let stage = try Rehearsal.inMemory()
        let retry = StatusRetryPolicy(retries: 3, firstDelay: .milliseconds(1), longestDelay: .milliseconds(1))
        let channels = try stage.runtime.channels(config: stage.managementConfig.with { $0.retry.statusRetry = retry })
        _ = try await channels.list()
        stage.apple.faults.add(FaultRule(.pushNumber(2), .refuse(refusal), times: 1))
        let creation = Task { await Self.failure { _ = try await channels.create(storage: .noStorage) } }
        #expect(await stage.apple.ledger.wait(within: .seconds(120)) { $0.channelRequests.requests == 2 })
        // Its answer comes behind the refusal: were there to be a retry, its pause would have begun.
        _ = try await channels.list()
        stage.time?.advance(by: .seconds(1))
        let error = await creation.value
        #expect(error?.code == .refused && error?.reason?.rawValue == refusal.rawValue)
        #expect(error?.description.contains("may have been created") == true)
        #expect(stage.apple.ledger.snapshot.channelRequests.requests == 3)
        await stage.end()
    }

    @Test func whatTheListBeforeACreationBringsIsNotTheCreationsFate() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.faults.add(FaultRule(.pushNumber(1), .refuse(.internalServerError), times: 1))
        let channels = try stage.runtime.channels(config: stage.managementConfig)
        let error = await Self.failure { _ = try await channels.create(storage: .noStorage) }
        #expect(error?.code == .refused && error?.certainty == .notSent)
        #expect(error?.description.hasPrefix("The app's channels could not be counted") == true)
        _ = try await channels.create(storage: .noStorage)
        await stage.end()
    }

    @Test func aCancelledTaskDoesNotWaitForTheCount() async throws {
        let stage = try Rehearsal.inMemory()
        let channels = try stage.runtime.channels(config: stage.managementConfig)
        stage.apple.holdAnswers()
        let tasks = (0..<2).map { _ in
            Task { await Self.failure { _ = try await channels.create(storage: .noStorage) } }
        }
        #expect(await stage.apple.ledger.wait(within: .seconds(120)) { $0.channelRequests.requests == 1 })
        tasks[0].cancel()
        let error = await tasks[0].value
        #expect(error?.cause?.code == .cancelled && error?.certainty == .notSent)
        // The other one goes on, with the list that both waited for.
        stage.apple.releaseAnswers()
        #expect(await tasks[1].value == nil)
        #expect(stage.apple.ledger.snapshot.channelRequests.requests == 2)
        await stage.end()
    }

    @Test func aCancelledTaskEndsItsRequest() async throws {
        let stage = try Rehearsal.inMemory()
        let channels = try stage.runtime.channels(config: stage.managementConfig)
        _ = try await channels.list()
        stage.apple.holdAnswers()
        let id = try ChannelID("AAAA")
        let task = Task { await Self.failure { try await channels.delete(id) } }
        #expect(await stage.apple.ledger.wait(within: .seconds(120)) { $0.channelRequests.requests == 2 })
        task.cancel()
        let error = await task.value
        #expect(error?.cause?.code == .cancelled && error?.certainty == .unknown)
        await stage.end()
    }

    @Test func aFailedProcessIsFollowedByAnother() async throws {
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        let channels = try stage.runtime.channels(config: stage.managementConfig, owner: mailbox)
        _ = try await channels.list()
        let pid = try #require(channels.connection.pid)
        stage.runtime.system.exit(pid, .killed)
        _ = await mailbox.receive(timeout: .seconds(120)) { if case .down(pid, .killed) = $0 { true } else { false } }
        #expect(try await channels.list().isEmpty)
        #expect(channels.connection.pid != pid)
        await stage.end()
    }

    @Test func theRuntimesEndIsTheChannelsEnd() async throws {
        let stage = try Rehearsal.inMemory()
        let channels = try stage.runtime.channels(config: stage.managementConfig)
        _ = try await channels.list()
        await stage.runtime.shutdown(within: .zero)
        let error = await Self.failure { _ = try await channels.list() }
        #expect(error?.cause?.code == .closed && error?.certainty == .notSent)
        #expect(throws: ConnectError.self) { _ = try stage.runtime.channels(config: stage.managementConfig) }
        await channels.close(within: .zero)
        await stage.end()
    }

    @Test func channelsThatNobodyHoldsCloseTheirConnection() async throws {
        let stage = try Rehearsal.inMemory()
        var channels: BroadcastChannels? = try stage.runtime.channels(config: stage.managementConfig)
        _ = try await channels?.list()
        #expect(stage.runtime.registry.destinations.count == 1)
        channels = nil
        #expect(await stage.apple.ledger.wait { $0.openConnections == 0 })
        await until { stage.runtime.registry.destinations.isEmpty }
        await stage.end()
    }

    // MARK: Where it goes

    @Test func theEnvironmentChoosesHostAndPortUnlessTheConfigurationDoes() {
        let config = PushConnection.Configuration(
            credential: .token(key: .file("AuthKey_ABC123DEFG.p8"), teamID: "DEF123GHIJ"))
        func endpoint(_ change: (inout PushConnection.Configuration) -> Void) -> String {
            "\(config.with(change).forManagement().endpoint)"
        }
        #expect(endpoint { _ in } == "api-manage-broadcast.push.apple.com:2196")
        #expect(endpoint { $0.environment = .development } == "api-manage-broadcast.sandbox.push.apple.com:2195")
        #expect(endpoint { $0.port = 2_197 } == "api-manage-broadcast.push.apple.com:2196")
        #expect(endpoint { $0.portFallback = true } == "api-manage-broadcast.push.apple.com:2196")
        #expect(endpoint { $0.port = 8_443 } == "api-manage-broadcast.push.apple.com:8443")
        #expect(endpoint { $0.host = "localhost" } == "localhost:443")
        #expect(endpoint { ($0.host, $0.port) = ("gateway", 2_196) } == "gateway:2196")
        let own = config.with {
            $0.portFallback = true
            $0.ordered = .perDevice
        }.forManagement()
        #expect(!own.portFallback && own.ordered == .byCall && own.retry.restart == .permanent)
    }

    @Test func whatCannotWorkIsRefusedBeforeTheNetwork() throws {
        let stage = try Rehearsal.inMemory()
        for (bundleID, limit, word) in [
            ("", 10, "bundle id"), ("a/b", 10, "bundle id"), ("com.example.app", 0, "limit"),
        ] {
            let error = #expect(throws: ConnectError.self) {
                _ = try stage.runtime.channels(bundleID: bundleID, config: stage.managementConfig, limit: limit)
            }
            #expect(error?.code == .configuration && error?.description.contains(word) == true)
        }
    }
}
