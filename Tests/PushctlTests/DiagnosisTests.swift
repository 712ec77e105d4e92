import PushTerminal
import PushTransport
import SupervisedPush
import Testing

@testable import pushctl

/// What follows from facts, without a network.
@Suite struct DiagnosisTests {
    private typealias Failure = DoctorFacts.Failure

    /// Facts of a walk on which all went well.
    static var healthy: DoctorFacts {
        var facts = DoctorFacts(endpoint: "api.push.apple.com:443", port: 443, environment: "production")
        facts.topic = "com.example.app"
        facts.now = 1_750_000_000
        facts.resolution = .init(.milliseconds(2), .success(["17.1.2.3", "2a01::1"]))
        facts.addresses = [
            .init("17.1.2.3", after: .milliseconds(9)), .init("2a01::1", after: .seconds(2), problem: "no answer"),
        ]
        facts.connecting = .milliseconds(9)
        facts.handshake = .init(version: "TLSv1.3", cipher: "AES", applicationProtocol: "h2")
        facts.securing = .init(.milliseconds(30), .success(()))
        facts.settings = .init(.milliseconds(40), .success(1000))
        facts.credential = .token(keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        facts.answer = .init(
            .milliseconds(50), .success(.response(status: 400, reason: "BadDeviceToken", sentence: "Words.")))
        return facts
    }

    private func diagnosis(_ change: (inout DoctorFacts) -> Void) -> Diagnosis {
        var facts = Self.healthy
        change(&facts)
        return Diagnosis(facts)
    }

    private func answer(_ status: Int, _ reason: String?) -> Diagnosis {
        diagnosis { $0.answer = .init(.zero, .success(.response(status: status, reason: reason, sentence: nil))) }
    }

    @Test func everyLayerHasOneVerdictInItsOrder() {
        let diagnosis = Diagnosis(Self.healthy)
        #expect(diagnosis.verdicts.map(\.layer) == DoctorLayer.allCases)
        #expect(diagnosis.status == .success && diagnosis.firstFailure == nil)
        // There is no proxy, and the server did not say its time.
        #expect(diagnosis.verdicts.filter { $0.verdict == .skipped }.map(\.layer) == [.proxy, .clock])
        #expect(diagnosis.verdicts[0].detail == "17.1.2.3, 2a01::1 (IPv4: 1, IPv6: 1)")
        #expect(
            diagnosis.verdicts[1].detail
                == "port 443: IPv4 17.1.2.3 connected (9.0 ms); IPv6 2a01::1 no answer (2,000.0 ms)")
    }

    @Test func whatComesAfterTheFirstFailureIsSkipped() {
        let failure = Failure("untrustedIssuer", "The issuer is /CN=Proxy.")
        let diagnosis = diagnosis { $0.securing = .init(.zero, .failure(failure)) }
        #expect(diagnosis.firstFailure?.layer == .tls && diagnosis.status == .unavailable)
        #expect(diagnosis.verdicts.dropFirst(4).allSatisfy { $0.verdict == .skipped && $0.detail == "tls failed" })
        #expect(diagnosis.hidden == [.alpn, .settings, .clock, .credential, .topic, .push])
        let whole = diagnosis.explanation(withDetails: true)
        #expect(whole.hasPrefix("The first layer that fails is tls: The issuer is /CN=Proxy. "))
        let rest = diagnosis.explanation(withDetails: false)
        #expect(rest.hasPrefix("The first layer that fails is tls. ") && rest.contains("inspects TLS"))
    }

    @Test func aLayerWithoutHTTP2IsALPNsAndNotTLSs() {
        let diagnosis = diagnosis {
            $0.securing = .init(.zero, .failure(Failure("noHTTP2", "No h2.")))
            $0.handshake?.applicationProtocol = "http/1.1"
        }
        #expect(diagnosis.firstFailure?.layer == .alpn && diagnosis.status == .unavailable)
        #expect(diagnosis.firstFailure?.detail == "No h2. It chose http/1.1.")
    }

    @Test func aBlockedPortLeadsToTheOtherOne() {
        let blocked = diagnosis { $0.addresses = [.init("17.1.2.3", after: .seconds(15), problem: "no answer")] }
        #expect(blocked.firstFailure?.layer == .connect)
        #expect(blocked.firstFailure?.advice?.contains("--port 2197") == true)
        let proxied = diagnosis {
            $0.proxy = "http://…@proxy:3128"
            $0.addresses = [.init("10.0.0.1", after: .zero, problem: "refused")]
        }
        #expect(proxied.firstFailure?.layer == .connect)
        #expect(proxied.firstFailure?.advice?.contains("--proxy none") == true)
    }

    @Test func aProxyThatRefusesIsTheProxysFailure() {
        for (code, words) in [
            ("proxyAuthentication", "http://user:pass"), ("proxyForbidden", "--port 2197"),
            ("socksFailure", "socks5://"),
        ] {
            let diagnosis = diagnosis {
                $0.proxy = "http://…@proxy:3128"
                $0.tunnel = .init(.zero, .failure(Failure(code, "Refused.")))
                $0.securing = nil
            }
            #expect(diagnosis.firstFailure?.layer == .proxy && diagnosis.status == .unavailable)
            #expect(diagnosis.explanation(withDetails: true).contains(words), "\(code)")
        }
        let socks = diagnosis {
            $0.proxy = "socks5://proxy:1080"
            $0.tunnel = .init(.zero, .failure(Failure("proxyAuthentication", "Refused.")))
        }
        #expect(socks.firstFailure?.advice?.contains("socks5://user:pass@") == true)
    }

    @Test func aProxyThatIsPassedByIsSaidToBe() throws {
        let away = Endpoint(host: "api.push.apple.com", port: 443)
        let here = Endpoint(host: "localhost", port: 443)
        let nothing: (String) -> String? = { _ in nil }
        let given = try ProxySetting.url("http://me:hunter2@proxy:1")
        let sentence = try #require(ProxyPassedBy.sentence(given, endpoint: here, variable: nothing))
        #expect(sentence.contains("proxy:1 was given, and is passed by because localhost is this machine"))
        #expect(!sentence.contains("hunter2"))
        #expect(ProxyPassedBy.sentence(.none, endpoint: here) { _ in "http://x" } == nil)
        #expect(ProxyPassedBy.sentence(.fromEnvironment, endpoint: here, variable: nothing) == nil)
        #expect(
            ProxyPassedBy.sentence(.fromEnvironment, endpoint: away) { $0 == "all_proxy" ? "http://x" : nil }
                == "all_proxy was given, and is passed by because NO_PROXY names api.push.apple.com")
        let diagnosis = diagnosis { $0.proxyPassedBy = sentence }
        #expect(diagnosis.verdicts[2].verdict == .skipped && diagnosis.verdicts[2].detail == sentence)
    }

    @Test(arguments: ["BadDeviceToken", "DeviceTokenNotForTopic", "Unregistered"])
    func anUnknownDeviceIsWhatAHealthySetUpGives(_ reason: String) {
        let diagnosis = answer(reason == "Unregistered" ? 410 : 400, reason)
        #expect(diagnosis.status == .success)
        #expect(diagnosis.verdicts.suffix(3).allSatisfy { $0.verdict == .ok })
    }

    @Test func aServerThatTakesZerosIsSaidToBeNoAPNs() {
        let diagnosis = answer(200, nil)
        #expect(diagnosis.status == .success)
        #expect(diagnosis.verdicts.last?.detail.contains("not APNs") == true)
    }

    @Test func aServerThatIsNotAPNsIsSaidToBe() {
        let diagnosis = diagnosis {
            $0.answer = .init(.zero, .success(.foreign(status: 404, server: "nghttpd nghttp2/1.52.0")))
        }
        #expect(diagnosis.firstFailure?.layer == .push && diagnosis.status == .rejectedOrFailed)
        #expect(diagnosis.firstFailure?.detail.contains("it is not APNs (nghttpd nghttp2/1.52.0)") == true)
        #expect(diagnosis.verdicts.first { $0.layer == .credential }?.verdict == .skipped)
        #expect(!diagnosis.explanation(withDetails: true).contains("Try again later"))
    }

    @Test(arguments: ["InvalidProviderToken", "BadCertificateEnvironment", "ANewReason", nil])
    func every403IsTheCredentials(_ reason: String?) {
        let diagnosis = answer(403, reason)
        #expect(diagnosis.firstFailure?.layer == .credential && diagnosis.status == .refused)
        #expect(diagnosis.verdicts.suffix(2).allSatisfy { $0.verdict == .skipped })
    }

    @Test(arguments: ["TopicDisallowed", "MissingTopic", "BadTopic"])
    func aRefusedTopicIsTheTopics(_ reason: String) {
        let diagnosis = answer(400, reason)
        #expect(diagnosis.firstFailure?.layer == .topic && diagnosis.status == .rejectedOrFailed)
    }

    @Test func otherRejectionsAreThePushs() {
        for (status, reason) in [(400, "PayloadEmpty"), (429, "TooManyRequests"), (503, "Shutdown"), (500, nil)] {
            let diagnosis = answer(status, reason)
            #expect(diagnosis.firstFailure?.layer == .push && diagnosis.status == .rejectedOrFailed)
        }
    }

    @Test func aPushWithoutAnAnswerIsUnknownIfItMayHaveArrived() {
        for (mayHaveArrived, status) in [(true, ExitStatus.unknown), (false, .rejectedOrFailed)] {
            let diagnosis = diagnosis {
                let answer = DoctorFacts.Answer.none(
                    code: "timed_out", sentence: "No answer.", mayHaveArrived: mayHaveArrived)
                $0.answer = .init(.seconds(10), .success(answer))
            }
            #expect(diagnosis.firstFailure?.layer == .push && diagnosis.status == status)
            let credential = diagnosis.verdicts.first { $0.layer == .credential }
            #expect(credential?.verdict == .skipped && credential?.detail.hasSuffix("has not judged it") == true)
        }
    }

    @Test func aWrongClockIsNamedBeforeTheCredentialItSpoils() {
        let spoilt = diagnosis {
            $0.clockAhead = 7_200
            $0.answer = .init(
                .zero, .success(.response(status: 403, reason: "ExpiredProviderToken", sentence: nil)))
        }
        #expect(spoilt.firstFailure?.layer == .clock && spoilt.status == .refused)
        let words = spoilt.explanation(withDetails: true)
        #expect(words.contains(" 2 h behind") && words.contains("ExpiredProviderToken"))
        #expect(words.contains("clock says 2025-06-15 15:06:40 UTC"))
        // A refusal by a server whose time is ours.
        let other = diagnosis {
            $0.clockAhead = -2
            $0.answer = .init(.zero, .success(.response(status: 403, reason: "Forbidden", sentence: nil)))
        }
        #expect(other.firstFailure?.layer == .credential)
        #expect(other.verdicts.first { $0.layer == .clock }?.detail == "2 s ahead of the server's")
    }

    @Test func aWarningIsAFailureForThoseWhoAskForIt() {
        let warned = diagnosis { ($0.clockAhead, $0.failsOnWarning) = (7_200, true) }
        #expect(warned.status == .rejectedOrFailed && warned.firstFailure == nil)
        #expect(diagnosis { $0.failsOnWarning = true }.status == .success)
        let refused = diagnosis {
            $0.failsOnWarning = true
            $0.answer = .init(.zero, .success(.response(status: 403, reason: "Forbidden", sentence: nil)))
        }
        #expect(refused.status == .refused)
    }

    @Test func aClockThatIsHoursOffIsAWarningWhereTheCredentialIsAccepted() {
        let ahead = diagnosis { $0.clockAhead = -7_200 }
        let clock = ahead.verdicts.first { $0.layer == .clock }
        #expect(clock?.verdict == .warning && clock?.detail == "This machine's clock is 2 h ahead of the server's.")
        #expect(clock?.advice?.contains("2025-06-15 15:06:40 UTC. Set it (NTP)") == true)
        #expect(ahead.status == .success && ahead.firstFailure == nil && ahead.verdicts.last?.verdict == .ok)
        #expect(
            ahead.explanation(withDetails: true)
                .hasPrefix("Link, credential and topic are accepted. But: This machine's clock is 2 h"))
        #expect(
            ahead.explanation(withDetails: false)
                .hasPrefix("Link, credential and topic are accepted. But: clock needs a look. Its clock says"))
        #expect(diagnosis { $0.clockAhead = 300 }.verdicts.first { $0.layer == .clock }?.verdict == .ok)
        #expect(diagnosis { $0.clockAhead = 301 }.warning?.detail.contains("5 min 1 s behind") == true)

        var facts = Self.healthy
        facts.clockAhead = -7_200
        let all = Diagnosis(facts)
        #expect(DoctorReport.text(all.verdicts[6], .plain).hasPrefix("clock      WARN "))
        let line = String(decoding: DoctorReport.json(all, facts: facts, after: .zero), as: UTF8.self)
        #expect(line.hasPrefix(#"{"layer":"overall","verdict":"warning","#))
        #expect(line.hasSuffix(#""first_failure":null,"exit_status":0}"# + "\n"))
    }

    @Test func datesOfTheServersCertificateThatDoNotFitMakeTheClockSuspect() {
        for (code, words) in [("certificateExpired", "has expired"), ("certificateNotYetValid", "is not valid yet")] {
            let diagnosis = diagnosis {
                $0.securing = .init(.zero, .failure(Failure(code, "The certificate was rejected.")))
                $0.handshake = nil
                $0.settings = nil
                $0.answer = nil
                $0.clockSync = .unsynchronized
            }
            let clock = diagnosis.verdicts[6]
            #expect(diagnosis.firstFailure?.layer == .tls && diagnosis.status == .unavailable)
            #expect(clock.verdict == .warning && clock.detail.contains(words), "\(clock)")
            #expect(
                diagnosis.firstFailure?.advice
                    == "This machine's clock says 2025-06-15 15:06:40 UTC and is not "
                    + "synchronized.")
        }
        let issuer = diagnosis { $0.securing = .init(.zero, .failure(Failure("untrustedIssuer", "No."))) }
        #expect(issuer.verdicts[6].verdict == .skipped)
    }

    @Test func whatTheMachineSaysOfItsClockIsShownWhereTheServerSaysNothing() {
        let synchronized = diagnosis { $0.clockSync = .synchronized }.verdicts[6]
        #expect(synchronized.verdict == .ok && synchronized.detail.contains("is synchronized"))
        let other = diagnosis { $0.clockSync = .unsynchronized }.verdicts[6]
        #expect(other.verdict == .skipped && other.detail.contains("is not synchronized"))
        // The server's time is the better witness.
        let told = diagnosis {
            $0.clockSync = .synchronized
            $0.clockAhead = 7_200
        }
        #expect(told.verdicts[6].verdict == .warning)
    }

    @Test func aTokenThatIsRefusedMakesTheClockACause() {
        let invalid = answer(403, "InvalidProviderToken").explanation(withDetails: true)
        #expect(invalid.contains("clock says 2025-06-15 15:06:40 UTC. If that is not the time"))
        #expect(invalid.contains("not revoked"))
        // It was made for this walk, so that nothing else makes it old.
        let expired = answer(403, "ExpiredProviderToken")
        #expect(expired.firstFailure?.layer == .clock && expired.status == .refused)
        let words = expired.explanation(withDetails: true)
        #expect(words.contains("2025-06-15 15:06:40 UTC. It is behind") && words.contains("made a moment ago"))
        #expect(!words.contains("revoked"))
        let whileComingUp = diagnosis {
            $0.refusal = "Refused."
            $0.refusalReason = "InvalidProviderToken"
            $0.answer = nil
        }
        #expect(whileComingUp.explanation(withDetails: true).contains("clock says"))
        // Another reason, and a credential without a time of ours in it.
        #expect(!answer(403, "BadEnvironmentKeyInToken").explanation(withDetails: true).contains("believes"))
        let certificate = diagnosis {
            $0.credential = .certificate(
                .init(
                    commonName: "Push", topics: [], allowsProduction: true, allowsDevelopment: false,
                    notAfter: 1_760_000_000))
            $0.answer = .init(
                .zero, .success(.response(status: 403, reason: "InvalidProviderToken", sentence: nil)))
        }
        #expect(!certificate.explanation(withDetails: true).contains("believes"))
    }

    @Test func aCredentialThatCannotBeUsedIsSaidWhateverElseFails() {
        let alone = diagnosis {
            $0.credentialProblem = "No file."
            $0.settings = nil
            $0.answer = nil
        }
        #expect(alone.firstFailure?.layer == .credential && alone.status == .configuration)
        let both = diagnosis {
            $0.credentialProblem = "No file."
            $0.resolution = .init(.zero, .failure(Failure("unknownHost", "No address.")))
        }
        #expect(both.firstFailure?.layer == .resolve && both.status == .configuration)
        #expect(both.failures.map(\.layer) == [.resolve, .credential])
        let paragraphs = both.explanation(withDetails: false).split(separator: "\n")
        #expect(paragraphs.count == 2 && paragraphs[0].contains("--proxy") && paragraphs[1].contains("--key"))
    }

    @Test func withoutACredentialTheWalkEndsWithTheLink() {
        let diagnosis = diagnosis {
            $0.hasCredential = false
            $0.credential = nil
            $0.settings = .init(.zero, .success(1))
            $0.answer = nil
        }
        #expect(diagnosis.status == .success && diagnosis.firstFailure == nil)
        #expect(diagnosis.verdicts[5].detail == "streams at a time: 1 until a provider token is accepted")
        #expect(diagnosis.verdicts[7].verdict == .skipped && diagnosis.verdicts[7].detail == "none was given")
        #expect(diagnosis.verdicts.suffix(2).allSatisfy { $0.verdict == .skipped })
        #expect(diagnosis.explanation(withDetails: true).hasPrefix("The link comes up. Without a credential"))
        let down = self.diagnosis {
            $0.hasCredential = false
            $0.settings = .init(.zero, .failure(Failure("http2", "No.")))
            $0.answer = nil
        }
        #expect(down.firstFailure?.layer == .settings && down.status == .unavailable)
    }

    @Test func aLimitOfOneStreamIsExplainedForTokens() {
        let token = diagnosis { $0.settings = .init(.zero, .success(1)) }
        #expect(token.verdicts[5].detail == "streams at a time: 1 until a provider token is accepted")
        #expect(Diagnosis(Self.healthy).verdicts[5].detail == "streams at a time: 1,000")
    }

    @Test func aRefusalWhileTheLinkComesUpIsTheCredentials() {
        let diagnosis = diagnosis {
            $0.refusal = "Our certificate was refused."
            $0.settings = nil
            $0.answer = nil
        }
        #expect(diagnosis.firstFailure?.layer == .credential && diagnosis.status == .refused)
        #expect(diagnosis.verdicts.first { $0.layer == .settings }?.verdict == .skipped)
    }

    @Test func whatASignalCutOffIsSkipped() {
        let diagnosis = diagnosis {
            $0.securing = nil
            $0.settings = nil
            $0.answer = nil
            $0.signal = .interrupt
        }
        #expect(diagnosis.status == .interrupted && diagnosis.firstFailure == nil)
        #expect(diagnosis.verdicts.map(\.verdict).prefix(2) == [.ok, .ok])
        #expect(diagnosis.verdicts.dropFirst(3).allSatisfy { $0.detail == "stopped by SIGINT" })
        #expect(diagnosis.explanation(withDetails: true) == "The walk was ended before it was complete.")
    }

    @Test func aPushThatTheSignalCutOffIsNoFailure() {
        let cut = diagnosis {
            let answer = DoctorFacts.Answer.none(code: "closed", sentence: "It was closed.", mayHaveArrived: true)
            $0.answer = .init(.seconds(1), .success(answer))
            $0.signal = .terminate
        }
        #expect(cut.status == .terminated && cut.firstFailure == nil)
        #expect(cut.verdicts.suffix(3).allSatisfy { $0.verdict == .skipped && $0.detail == "stopped by SIGTERM" })
        // One that was answered meanwhile is judged.
        let answered = diagnosis { $0.signal = .terminate }
        #expect(answered.status == .terminated && answered.verdicts.last?.verdict == .ok)
    }

    @Test func certificatesSayWhatTheyAreFor() {
        let certificate = CredentialFacts.Certificate(
            commonName: "Push", topics: (1...7).map { "t\($0)" }, allowsProduction: true, allowsDevelopment: false,
            notAfter: 1_750_000_000 + 3 * 86_400 + 5)
        let diagnosis = diagnosis { $0.credential = .certificate(certificate) }
        #expect(
            diagnosis.verdicts.first { $0.layer == .credential }?.detail
                == "certificate Push; topics t1, t2, t3, t4, t5 and 2 more; for production; "
                + "3 days left (until 2025-06-18 15:06:45 UTC)")
    }

    @Test func datesOfServersAreRead() {
        #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        for text in [
            "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 8:49:377 GMT",
        ] {
            #expect(HTTPDate.seconds(text) == nil, "\(text)")
        }
    }
}
