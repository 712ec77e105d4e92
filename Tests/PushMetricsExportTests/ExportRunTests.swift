import ProcessRuntime
import PushHTTP1
import PushLocking
import PushSimulator
import PushTransport
import TestSupport
import Testing

@testable import PushMetricsExport

/// Reports from a simulated export, over TLS.
@Suite("parity: F27 – reports over the network", .timeLimit(.minutes(5))) struct ExportRunTests {
    /// A simulated export.
    private struct Stage {
        let apns: SimulatedAPNs
        let host: Endpoint

        init(
            _ failure: SimulatedMetrics.Failure? = nil, polls: Int = 1, credentials: ThrowAwayCredentials? = nil
        ) throws {
            var configuration = SimulatedAPNs.Configuration()
            configuration.credentials = credentials
            var metrics = SimulatedMetrics()
            metrics.polls = polls
            metrics.failure = failure
            configuration.metrics = metrics
            apns = try SimulatedAPNs(configuration)
            try apns.start()
            host = Endpoint(host: "localhost", port: try #require(apns.metricsPort))
        }

        func run(
            _ dataset: ExportOrder.Dataset = .delivery, token: String = SimulatedMetrics.usualToken,
            channel: String? = nil,
            wait: Duration = .seconds(3_600), reportBytes: Int = 1 << 20,
            onPause: @Sendable (Duration) -> Void = { _ in }
        ) async throws -> Result<String, ExportError> {
            let order = try ExportOrder(
                dataset, teamID: apns.credentials.teamID, appID: apns.credentials.topic, channelID: channel,
                today: CalendarDay(unixSeconds: SystemTime().wallClockMilliseconds / 1_000))
            var limits = ExportMachine.Limits()
            limits.wait = wait
            limits.firstPause = .milliseconds(1)
            limits.longestPause = .milliseconds(1)
            limits.reportBytes = reportBytes
            let trust = TrustAnchors.pem(Array(apns.credentials.authorityPEM.utf8))
            let network = ExportRun.Network(context: try TLSContext.client(trust: trust, alpn: .none)) { _ in
                SocketConnector()
            }
            let run = ExportRun(
                order, at: host, token: try #require(ManagementToken(token)), limits: limits, network: network)
            do throws(ExportError) {
                return .success(String(decoding: try await run.run(onPause: onPause), as: UTF8.self))
            } catch { return .failure(error) }
        }

        /// Method, path and whether the token was shown, of each request that came.
        var requests: [String] {
            apns.metricsRequests.map { request in
                let path = request.target.prefix { $0 != "?" }.split(separator: "/").suffix(2).joined(separator: "/")
                return "\(request.method) \(path) \(request.showedToken ? "token" : "none") \(request.status)"
            }
        }
    }

    private func error(_ result: Result<String, ExportError>) -> ExportError? {
        if case .failure(let error) = result { error } else { nil }
    }

    @Test func aReportComesInThreeStepsAndTheLastShowsNoToken() async throws {
        let stage = try Stage(polls: 2)
        #expect(try await stage.run().get() == "Push Type,Status,Date (UTC),Count\n")
        #expect(
            stage.requests == [
                "POST deliverymetrics/request token 200", "GET status/1 token 200", "GET status/1 token 200",
                "GET status/1 token 200", "GET exports/1.csv none 200",
            ])
        // The same request leads to the same report.
        #expect(try await stage.run().get() == "Push Type,Status,Date (UTC),Count\n")
        #expect(stage.requests.suffix(2) == ["GET status/1 token 200", "GET exports/1.csv none 200"])
    }

    @Test func theReportsOfBroadcastsHaveADayInEachRow() async throws {
        let stage = try Stage()
        let channel = try #require(stage.apns.channels.create(for: stage.apns.credentials.topic))
        let app = try await stage.run(.broadcast).get().split(separator: "\n")
        #expect(
            app.first == "Date (UTC),Broadcasts Published,Broadcasts Delivered,Total Subscriptions,Unique Subscribers")
        #expect(app.count == 8 && app.dropFirst().allSatisfy { $0.hasSuffix(",0,0,1000,1000") })
        let one = try await stage.run(.channel, channel: channel.id).get().split(separator: "\n")
        #expect(one.count == 8 && one.last?.hasSuffix(",0,0,1000") == true)
        #expect(error(try await stage.run(.channel, channel: "AAAA"))?.sentence.contains("channel") == true)
    }

    @Test func aWrongTokenIsRefusedAndNotShownInTheError() async throws {
        let stage = try Stage()
        let error = error(try await stage.run(token: "a-wrong-token"))
        #expect(error?.kind == .tokenRefused && error?.sentence.contains("wrong") == false)
        #expect(stage.requests == ["POST deliverymetrics/request token 401"])
    }

    @Test func itListensOnTheSamePortAgainAndNowhereWithoutSettings() async throws {
        let stage = try Stage()
        stage.apns.stop()
        try stage.apns.start()
        #expect(stage.apns.metricsPort == stage.host.port)
        #expect(try await stage.run().get() == "Push Type,Status,Date (UTC),Count\n")
        let without = try SimulatedAPNs()
        try without.start()
        #expect(without.metricsPort == nil && without.metricsRequests.isEmpty)
    }

    // MARK: Other hosts

    @Test func anotherHostNeverGetsTheTokenOrARequest() async throws {
        let other = try Stage()
        let address = "https://localhost:\(other.host.port)/v1/dataExports/status/1"
        for failure in [SimulatedMetrics.Failure.requestRedirected(address), .statusAt(address)] {
            let stage = try Stage(failure, credentials: other.apns.credentials)
            let error = error(try await stage.run())
            #expect(error?.kind == .badAnswer && error?.sentence.contains("localhost:\(other.host.port)") == true)
        }
        #expect(other.requests.isEmpty)
    }

    @Test func aReportOnAnotherHostIsFetchedWithoutTheToken() async throws {
        let other = try Stage(polls: 0)
        // So that it has a report.
        _ = try await other.run().get()
        let before = other.requests.count
        let address = "https://localhost:\(other.host.port)/exports/1.csv"
        for failure in [SimulatedMetrics.Failure.reportAt(address), .reportRedirected(address)] {
            let stage = try Stage(failure, credentials: other.apns.credentials)
            #expect(try await stage.run().get() == "Push Type,Status,Date (UTC),Count\n")
        }
        #expect(other.requests.dropFirst(before) == ["GET exports/1.csv none 200", "GET exports/1.csv none 200"])
    }

    @Test func aReportWithoutTLSIsNotFetched() async throws {
        let other = try Stage()
        let address = "http://localhost:\(other.host.port)/exports/1.csv"
        for failure in [SimulatedMetrics.Failure.reportAt(address), .reportRedirected(address)] {
            let error = error(try await Stage(failure).run())
            #expect(error?.kind == .badAnswer && error?.sentence.contains("not https") == true)
        }
        #expect(other.requests.isEmpty)
    }

    @Test func aReportThatRedirectsToItselfEndsSoon() async throws {
        let stage = try Stage(.reportRedirected("/exports/1.csv"))
        #expect(error(try await stage.run())?.sentence.contains("more than 3 times") == true)
        #expect(stage.requests.count { $0.hasPrefix("GET exports/1.csv none 307") } == 4)
    }

    // MARK: Bounds

    @Test func aReportThatIsLargerThanAllowedIsRefused() async throws {
        let error = error(try await Stage().run(reportBytes: 33))
        #expect(error?.kind == .tooLarge)
        #expect(try await Stage().run(reportBytes: 34).get().utf8.count == 34)
    }

    @Test func aReportThatIsNeverReadyEndsWithItsTime() async throws {
        let stage = try Stage(.neverFinished)
        #expect(error(try await stage.run(wait: .milliseconds(50)))?.kind == .unavailable)
        #expect(stage.requests.count >= 2)
    }

    @Test func aServerThatIsDownIsNamed() async throws {
        let stage = try Stage()
        stage.apns.stop()
        let error = error(try await stage.run())
        #expect(
            error?.kind == .unavailable && error?.sentence.contains("localhost") == true, "\(error?.sentence ?? "")")
    }

    @Test func aServerThatIsNotTrustedGetsNoToken() async throws {
        let (stage, stranger) = (try Stage(), try Stage())
        let order = try ExportOrder(
            .delivery, teamID: "A", appID: "a",
            today: CalendarDay(unixSeconds: SystemTime().wallClockMilliseconds / 1_000))
        let trust = TrustAnchors.pem(Array(stranger.apns.credentials.authorityPEM.utf8))
        let network = ExportRun.Network(context: try TLSContext.client(trust: trust, alpn: .none)) { _ in
            SocketConnector()
        }
        let run = ExportRun(order, at: stage.host, token: try #require(ManagementToken("a-token")), network: network)
        await #expect(throws: ExportError.self) { try await run.run() }
        #expect(stage.requests.isEmpty)
    }

    @Test func itStopsWithItsTask() async throws {
        let stage = try Stage(.neverFinished)
        let isPausing = Locked(false)
        let work = Task { try await stage.run(wait: .seconds(3_600)) { _ in isPausing.withLock { $0 = true } } }
        await until { isPausing.withLock { $0 } }
        work.cancel()
        #expect(error(try await work.value)?.kind == .stopped)
    }

    @Test func eachFailureOfTheExportIsAnErrorOfItsOwn() async throws {
        let cases: [(SimulatedMetrics.Failure, ExportError.Kind)] = [
            (.unauthorized, .tokenRefused), (.internalError, .unavailable), (.failed, .refused), (.expired, .refused),
        ]
        for (failure, kind) in cases { #expect(error(try await Stage(failure).run())?.kind == kind, "\(failure)") }
    }
}
