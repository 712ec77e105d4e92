import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// Each fault of the simulator met once by a real connection over real sockets: the push it hits ends, and says nothing that the
/// simulator's ledger contradicts; and the name lives on.
@Suite("parity: F8 – every fault is survived", .timeLimit(.minutes(5))) struct FaultSweepTests {
    /// What can hit the second push. Faults after which a link says nothing any more belong to liveness, which has its own tests.
    static let ofPushes: [Fault] =
        [
            .delay(.fixed(.milliseconds(50))), .refuse(.internalServerError), .refuse(.serviceUnavailable),
            .refuse(.unregistered), .resetStream(code: 2), .resetStream(code: 7), .resetStream(code: 8),
            .cutUnprocessed(.finish), .cutUnprocessed(.reset), .cut(.finish), .cut(.reset),
            .halfAnswer(HalfAnswer()), .halfAnswer(HalfAnswer(.headers, then: .reset(code: 2))),
            .halfAnswer(HalfAnswer(.headers, then: .cut(.finish))), .halfAnswer(HalfAnswer(.body)),
            .halfAnswer(HalfAnswer(.body, then: .cut(.reset))), .halfAnswer(HalfAnswer(.frame, then: .cut(.finish))),
            .malformedAnswer(.noStatus), .malformedAnswer(.status("2xx")), .malformedAnswer(.status("999")),
            .malformedAnswer(.status("099")), .malformedAnswer(.upperCaseName), .malformedAnswer(.contentLength),
            .malformedAnswer(.headerBlock), .malformedAnswer(.dataBeforeHeaders),
            .malformedAnswer(.body("<html>")), .oversizedHeaders(bytes: 200_000), .oversizedBody(bytes: 1_000_000),
            .afterAnswer(.answer), .afterAnswer(.data), .afterAnswer(.windowUpdate), .afterAnswer(.reset(code: 2)),
            .pushPromise, .goAway(GoAway()), .goAway(GoAway(reason: "Shutdown", isAnnounced: true)),
            .goAway(GoAway(ending: .cut(.reset))), .ignorePings,
            .settings(SettingsChange(maxConcurrentStreams: 1, initialWindowSize: 1000)),
            .window(.trickle(Dribble(bytes: 1000, every: .milliseconds(5))), of: .all),
            .window(.delay(.milliseconds(20)), of: .all), .window(.withhold, of: .streams),
            .windowUpdate(bytes: 1_000_000, of: .connection), .addTopic("com.example.new"),
        ] + BrokenFrame.allCases.map(Fault.brokenFrame) + Flood.Kind.allCases.map { .flood(Flood($0, count: 2000)) }

    @Test(arguments: ofPushes)
    func aFaultHitsAPushAndTheNextOneIsDelivered(_ fault: Fault) async throws {
        let stage = try Rehearsal.overLoopback {
            $0.script = FaultScript(rules: [FaultRule(.overallPush(2), fault, name: "it")])
        }
        let config = stage.patientConfig.with { $0.retry.backoffCeiling = .seconds(1) }
        try stage.runtime.connect(name: "orders", config: config)
        #expect(try await push(1, stage).get().isAccepted)
        let outcome = await push(2, stage, within: .seconds(10))
        #expect(stage.apple.faults.count(named: "it") == 1)
        let count = stage.apple.ledger.count(deviceToken: Samples.token(2).hex)
        switch outcome {
        case .success(let answer):
            #expect(count.accepted + count.refused == 1, "\(fault)")
            if answer.isAccepted { #expect(count.accepted == 1, "\(fault)") }
        case .failure(let error):
            let isProcessed = count.accepted + count.refused > 0
            #expect(!isProcessed || [.unknown, .answered].contains(error.certainty), "\(fault): \(error)")
            #expect(count.accepted + count.refused <= 1, "\(fault)")
        }
        #expect(try await push(3, stage).get().isAccepted, "\(fault)")
        await stage.end()
    }

    static let ofConnecting: [Fault] =
        [
            .cut(.finish), .cut(.reset), .plainText, .delayHandshake(.milliseconds(100)),
            .dribbleHandshake(Dribble(bytes: 200, every: .milliseconds(5))),
        ] + TLSFault.allCases.map(Fault.tls)

    @Test(arguments: ofConnecting)
    func aFaultHitsTheFirstConnectionAndALaterOneServes(_ fault: Fault) async throws {
        let stage = try Rehearsal.overLoopback {
            $0.script = FaultScript(rules: [FaultRule(.connecting, fault, on: .nth(1), name: "it")])
        }
        let config = stage.patientConfig.with { $0.retry.backoffCeiling = .seconds(1) }
        try stage.runtime.connect(name: "orders", config: config)
        #expect(try await push(1, stage).get().isAccepted, "\(fault)")
        #expect(stage.apple.faults.count(named: "it") == 1)
        #expect(stage.apple.ledger.snapshot.accepted == 1)
        await stage.end()
    }

    private func push(
        _ number: Int, _ stage: Rehearsal, within timeout: Duration? = nil
    ) async -> Result<PushResponse, PushError> {
        do throws(PushError) {
            return .success(
                try await stage.runtime.push(
                    name: "orders", Samples.flight, to: Samples.token(number),
                    options: PushOptions(timeout: timeout)))
        } catch {
            return .failure(error)
        }
    }
}
