import ProcessRuntime
import PushHTTP2
import PushTransport
import Testing

@testable import SupervisedPush

/// The product of phases and events: every event in every phase is harmless, and loses nothing.
@Suite struct PhaseEventTests {
    static let phases = [
        "idle", "dialing", "up", "down", "draining", "suspended", "probing", "hopeless", "closing", "ended", "held",
        "replacing", "rotating",
    ]
    static let events = [
        "start", "push", "pushesWait", "cancel", "linkUp", "limit", "answered", "refused", "reset", "goAway",
        "linkLost",
        "unsendable", "dialLost", "withdrawn", "received", "pong", "later", "tick", "close", "refused403",
        "expiredToken",
        "tokenUpdates", "tokenChecked",
        "refusingGoAway", "refusingAlert", "dropOldest", "credentialOffered", "loading", "loaded", "loadFailed",
        "tunnelling", "tunnelled",
    ]

    @Test(arguments: phases, events) func everyEventInEveryPhaseLosesNothing(phase: String, event: String) {
        var (harness, records) = harness(in: phase, for: event)
        var pushed = Set(records.map(\.id.number))
        let extra = harness.record(100)
        if event == "push" || event == "dropOldest" { pushed.insert(100) }
        if event == "later" { harness.now = harness.now.advanced(by: .seconds(5)) }
        switch event {
        case "push": _ = harness.offer([extra])
        case "dropOldest": _ = harness.offer([extra], .dropOldest)
        default: _ = harness.feed(self.event(event, harness, records))
        }
        // Whatever came: closing with a deadline brings every push its one outcome.
        _ = harness.feed(.close(deadline: harness.now.advanced(by: .seconds(1))))
        _ = harness.advance(by: .seconds(1))
        #expect(harness.machine.phase == .ended)
        #expect(harness.machine.table.count == 0)
        #expect(harness.machine.inFlight == 0)
        #expect(Set(harness.outcomes.keys) == pushed)
        #expect(harness.outcomes.values.allSatisfy { $0.count == 1 })
    }

    private func harness(in phase: String, for event: String) -> (MachineHarness, [PushRecord]) {
        var settings = ConnectionSettings()
        let room = RoomSettings(
            maxWaiting: event == "dropOldest" ? 1 : 10_000, probePause: .zero, givesUpOnRefusal: phase == "hopeless")
        settings.liveness = PushConnection.Configuration.Liveness()
        if phase == "replacing" { settings.scarceStream = 1 }
        var harness = MachineHarness(settings, room: room, wasAccepted: phase != "hopeless")
        var records = (UInt64(1)...3).map { harness.record($0) }
        if phase != "idle" { _ = harness.feed(.start) }
        if !["idle", "dialing"].contains(phase) {
            _ = harness.feed(.settings(MachineHarness.link(1), maxStreams: 2))
        }
        if phase == "held" { _ = harness.advance(by: .seconds(240)) }
        _ = harness.offer(records)
        switch phase {
        case "down": _ = harness.feed(.linkLost(MachineHarness.link(1), LinkFailure(.socket, "cut"), []))
        case "draining": _ = harness.feed(.goAway(MachineHarness.link(1), reason: nil))
        case "rotating": _ = harness.feed(.credentialOffered(CredentialOffer(isCertificate: true)))
        case "suspended", "hopeless": _ = harness.feed(.goAway(MachineHarness.link(1), reason: "BadCertificate"))
        case "probing":
            _ = harness.feed(.goAway(MachineHarness.link(1), reason: "BadCertificate"))
            records.append(harness.record(4))
            _ = harness.offer([records[3]])
        case "closing": _ = harness.feed(.close(deadline: harness.now.advanced(by: .seconds(1))))
        case "ended": _ = harness.feed(.close(deadline: harness.now))
        default: break
        }
        return (harness, records)
    }

    private func event(
        _ name: String, _ harness: MachineHarness, _ records: [PushRecord]
    ) -> ConnectionMachine.Event {
        let link = MachineHarness.link(1)
        let slot = harness.slots[1] ?? 0
        switch name {
        case "start": return .start
        case "pushesWait": return .pushesWait
        case "cancel": return .cancel(records[2])
        case "received": return .received(link)
        case "pong": return .pong(link, 1)
        case "linkUp": return .settings(MachineHarness.link(2), maxStreams: 1)
        case "limit": return .settings(link, maxStreams: 0)
        case "answered": return .answered(link, slot: slot, PushResponse(status: 200))
        case "refused": return .streamClosed(link, slot: slot, .reset(.refusedStream), .written)
        case "reset": return .streamClosed(link, slot: slot, .malformedAnswer, .written)
        case "goAway": return .goAway(link, reason: "Shutdown")
        case "linkLost":
            return .linkLost(
                link, LinkFailure(.socket, "cut"), [LostStream(slot: slot, fate: .written, answer: nil)])
        case "dialLost": return .linkLost(MachineHarness.link(2), LinkFailure(.connect, "refused"), [])
        case "tunnelling": return .dialReached(MachineHarness.link(2), .tunnelling)
        case "tunnelled": return .dialReached(MachineHarness.link(2), .tunnelled)
        case "unsendable":
            return .unsendable(MachineHarness.link(1), slot: slot, UnsendablePush(.invalidRequest, "too long"))
        case "withdrawn": return .withdrawn(slot: slot, .written(.written))
        case "refused403": return .answered(link, slot: slot, MachineHarness.response(403, .invalidProviderToken))
        case "expiredToken": return .answered(link, slot: slot, MachineHarness.response(403, .expiredProviderToken))
        case "tokenUpdates":
            return .answered(link, slot: slot, MachineHarness.response(429, .tooManyProviderTokenUpdates))
        case "tokenChecked":
            return .tokenChecked(link, slot: slot, isNewer: true, MachineHarness.response(403, .expiredProviderToken))
        case "refusingGoAway": return .goAway(link, reason: "BadCertificateEnvironment")
        case "refusingAlert":
            return .linkLost(link, LinkFailure(.tls, "refused", refusesCertificate: true), [])
        case "credentialOffered": return .credentialOffered(CredentialOffer(isCertificate: true))
        case "loadFailed":
            return .linkLost(harness.machine.dialed?.id ?? link, LinkFailure(.credential, "not loaded"), [])
        case "loading": return .dialReached(harness.machine.dialed?.id ?? link, .loading)
        case "loaded": return .dialReached(harness.machine.dialed?.id ?? link, .connecting)
        case "close": return .close(deadline: harness.now.advanced(by: .seconds(5)))
        default: return .tick
        }
    }
}
