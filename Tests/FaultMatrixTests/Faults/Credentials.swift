import ProcessRuntime
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// APNs does not take the credential any more, or never did.
extension FaultMatrix {
    static let credentials = FaultChapter(
        title: "Credentials",
        remark: """
            The connection is suspended: what waits is answered at once, what is in flight may finish, and a second later one push is the \
            probe that brings it back. "From the start" the configuration says `onRefusedCredential: .giveUp`: then the connection ends. \
            Three 403 in a row are needed; nothing is written between those of one burst. An \
            expired provider token is renewed once, and what it cost goes out again.
            """,
        faults: [
            refusedFromTheStart("from the start: a key that is not the team's", .token) { _ in 3 }.with {
                $0.showsForeignKey = true
            },
            refusedFromTheStart("from the start: 403 BadCertificate for every push", .certificate) { load in
                load.inFlight
            }.with { $0.simulator = { $0.script = FaultScript(rules: [FaultRule(.push, .refuse(.badCertificate))]) } },
            suspended(
                "after a while: GOAWAY BadCertificateEnvironment, in the middle", .badCertificateEnvironment,
                .certificate),
            suspended("after a while: GOAWAY InvalidProviderToken, in the middle", .invalidProviderToken, .token),
            refusedAfterAWhile("after a while: 403 for every push; the probe is accepted") { stage in
                await stage.recovers()
            },
            refusedAfterAWhile("after a while: 403 for every push, the first probe included") { stage in
                stage.apple.faults.add(FaultRule(.push, .refuse(stage.refusal), times: 1))
                stage.pass(.seconds(60))
                let probe = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(999_997))
                stage.proves("the first probe is refused", probe.status == 403)
                await stage.isSuspended(nextProbe: .seconds(2))
                stage.pass(.seconds(60))
                await stage.recovers()
            },
            tokenRefused("the provider token has expired: one renewal, each answered once") { stage in
                // To APNs, the clock of this machine was two hours slow.
                stage.time.setWallClock(milliseconds: stage.time.wallClockMilliseconds + 2 * 3_600_000)
                let before = try stage.issue
                await stage.meetsTogether(.expiredProviderToken)
                await stage.isUp(2)
                await stage.haveEnded()
                stage.proves("one renewal", try stage.issue == before + 7_200)
            },
            tokenRefused("the provider token has expired, and the new one, too: the answer, and no loop") { stage in
                stage.apple.faults.add(FaultRule(.push, .refuse(.expiredProviderToken)))
                let before = try stage.issue
                await stage.meetsTogether(.expiredProviderToken)
                await stage.isUp(2)
                await stage.haveEnded()
                stage.proves("one renewal", try stage.issue > before)
            }.with { $0.expected = { Counts(rejected: $0.load.total, processed: $0.load.total) } },
            tokenRefused("429 TooManyProviderTokenUpdates: once more, on a fresh link") { stage in
                stage.apple.faults.add(
                    FaultRule(.push, .refuse(.tooManyProviderTokenUpdates), times: stage.load.inFlight))
                let before = try stage.issue
                await stage.meetsTogether(.tooManyProviderTokenUpdates)
                await stage.isUp(2)
                stage.proves("no renewal", try stage.issue == before)
            },
            tokenRefused("400 TopicDisallowed for an app that is newer than the link: once more, on a fresh link") {
                stage in
                stage.apple.addTopic("com.example.new")
                await stage.meetsTogether(.topicDisallowed)
                await stage.isUp(2)
            }.with { $0.notification.topic = "com.example.new" },
            tokenRefused("400 TopicDisallowed for an app that the team does not have: the answer, and no loop") {
                stage in
                await stage.meetsTogether(.topicDisallowed)
                await stage.isUp(2)
            }.with {
                $0.notification.topic = "com.example.new"
                $0.expected = { Counts(rejected: $0.load.total, processed: $0.load.total) }
            },
        ])

    /// Nothing was accepted yet. Every push that is written is refused, and the third refusal tells what they mean.
    private static func refusedFromTheStart(
        _ name: String, _ credential: CellCredential, rejected: @escaping @Sendable (Load) -> Int
    ) -> FaultCase {
        FaultCase(name) { cell in
            let rejected = rejected(cell.load)
            return Counts(rejected: rejected, notSent: cell.load.total - rejected, processed: rejected)
        } story: { stage in
            // With a provider token APNs allows one push at a time, until it has accepted one.
            let inFlight = stage.cell.credential == .token ? 1 : stage.load.inFlight
            await stage.fillUnread(inFlight: inFlight)
            stage.arrive()
            await stage.isGivenUp()
        }.with { fault in
            fault.credentials = [credential]
            fault.loads = [.thousand, .behindTheLimit]
            fault.beginning = .up
            fault.connection = { $0.retry.onRefusedCredential = .giveUp }
        }
    }

    /// The server processes half of what is in flight and says goodbye with a reason.
    private static func suspended(_ name: String, _ reason: Refusal, _ credential: CellCredential) -> FaultCase {
        FaultCase(name) { cell in
            let processed = cell.load == .one ? 0 : cell.load.half
            return Counts(
                delivered: processed, notSent: cell.load.waiting, unprocessed: cell.load.inFlight - processed,
                processed: processed)
        } story: { stage in
            await stage.processesHalf(GoAway(reason: reason.rawValue))
            await stage.isSuspended()
            stage.apple.releaseAnswers(on: stage.firstConnection)
            await stage.haveEnded()
            await stage.recovers()
        }.with { $0.credentials = [credential] }
    }

    /// Every push is refused from now on, until everything has ended.
    private static func refusedAfterAWhile(
        _ name: String, andThen: @escaping @Sendable (FaultStage) async throws -> Void
    ) -> FaultCase {
        FaultCase(name) { cell in
            let rejected = cell.load.inFlight
            return Counts(rejected: rejected, notSent: cell.load.total - rejected, processed: rejected)
        } story: { stage in
            await stage.fillUnread()
            stage.apple.faults.add(FaultRule(.push, .refuse(stage.refusal)))
            stage.arrive()
            await stage.isSuspended()
            await stage.haveEnded()
            stage.apple.faults.removeAll()
            try await andThen(stage)
        }.with { $0.loads = [.thousand, .behindTheLimit] }
    }

    private static func tokenRefused(
        _ name: String, story: @escaping @Sendable (FaultStage) async throws -> Void
    ) -> FaultCase {
        FaultCase(name) {
            .allDelivered($0.load)
        } story: { stage in
            try await story(stage)
            await stage.haveEnded()
            stage.proves("one more link", stage.apple.ledger.snapshot.connections == 2)
        }.with { fault in
            fault.credentials = [.token]
            fault.mayRetry = true
        }
    }
}

extension FaultStage {
    /// How APNs refuses the credential of this cell for good.
    var refusal: Refusal { cell.credential == .token ? .invalidProviderToken : .badCertificate }

    /// When the provider token was signed, in seconds since 1970.
    var issue: Int64 {
        get throws { try runtime.connection(named: "orders").providerToken()?.issuedAtSeconds ?? 0 }
    }

    /// Everything in flight is refused for this reason, and the answers arrive together: given by the server at once. Those that were
    /// written while others were still judged could come so much earlier that what they made room for overtakes the rest.
    func meetsTogether(_ refusal: Refusal) async {
        apple.holdAnswers(on: firstConnection)
        await fillUnread()
        arrive()
        await proves("\(refusal.rawValue) for each") { $0.refusals[refusal] == self.load.inFlight }
        // The next link comes up once all answers were heard, for the same reason.
        let delay = Duration.milliseconds(1)
        apple.faults.add(FaultRule(.connecting, .delayHandshake(delay), times: 1))
        apple.releaseAnswers(on: firstConnection)
        await drains()
        #expect(await reaches { (try? runtime.connection(named: "orders").load)?.inFlight == 0 })
        await time.waitUntilArmed(by: time.now.advanced(by: delay))
        pass(delay)
    }

    func isSuspended(nextProbe: Duration = .seconds(1)) async {
        let message = await hears("suspended for \(nextProbe)") {
            if case .suspended(_, _, _, nextProbe) = $0 { true } else { false }
        }
        guard case .suspended(_, _, let cause, _)? = message else { return }
        proves("suspended: \(cause.reason?.rawValue ?? "\(cause.layer)")")
    }

    /// Some time after the last refusal a push is the probe; it is accepted, and the connection is up.
    func recovers() async {
        pass(.seconds(60))
        let probe = try? await runtime.push(name: "orders", Samples.flight, to: Samples.token(999_996))
        proves("the probe brings it back", probe?.isAccepted == true)
        #expect(await reaches { (try? runtime.connection(named: "orders").status)?.phase == .up })
    }

    /// The connection has ended because of its credential, and its name is free.
    func isGivenUp() async {
        let message = await hears("the end of the process") { if case .down = $0 { true } else { false } }
        guard case .down(_, let reason)? = message, let refusal = reason.credentialRefusal else {
            return proves("an end for the credential", false)
        }
        await hears("givenUp") { if case .givenUp = $0 { true } else { false } }
        proves("given up: \(refusal.reason?.rawValue ?? "\(refusal.layer)")", runtime.pid(of: "orders") == nil)
    }
}
