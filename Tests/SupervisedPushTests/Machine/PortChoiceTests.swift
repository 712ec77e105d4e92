import PushTransport
import Testing

@testable import SupervisedPush

@Suite struct PortChoiceTests {
    @Test("parity: F17, P11 – without the fallback every attempt goes to the same port")
    func withoutTheFallbackThePortStays() {
        for port in [443, 2_197, 8_443] {
            var choice = PortChoice(port, fallsBack: false)
            for layer in [ErrorLayer.connect, .tls, .proxy] {
                choice.failed(in: layer)
                #expect(choice.port == port)
            }
        }
    }

    @Test("parity: F17 – with the fallback, failures in connecting, the proxy and TLS go to 2197 and back")
    func withTheFallbackPortsTakeTurns() {
        var choice = PortChoice(443, fallsBack: true)
        var seen: [Int] = []
        for layer in [ErrorLayer.connect, .proxy, .tls, .socket] {
            choice.failed(in: layer)
            seen.append(choice.port)
        }
        #expect(seen == [2_197, 443, 2_197, 443])
        for layer in [ErrorLayer.resolve, .http2, .apns, .process] {
            choice.failed(in: layer)
            #expect(choice.port == 443)
        }
    }

    @Test("parity: F17 – a port on which a link came up is kept for the next attempt")
    func thePortOfALinkIsKept() {
        var settings = ConnectionSettings()
        settings.fallsBackToOtherPort = true
        var harness = MachineHarness(settings)
        #expect(harness.feed(.start) == ["dial 1"])
        #expect(harness.lose(link: 1) == ["reconnecting 1 in 1 s"])
        #expect(harness.advance(by: .seconds(1)) == ["dial 2 on 2197"])
        _ = harness.feed(.settings(MachineHarness.link(2), maxStreams: 1_000))
        _ = harness.push(1)
        _ = harness.answer(1, link: 2)
        // It broke while it was in use: that is no matter of the port.
        _ = harness.lose(link: 2)
        #expect(harness.advance(by: .seconds(1)) == ["dial 3 on 2197"])
        // An attempt that takes too long counts like one that fails.
        #expect(harness.advance(by: .seconds(15)) == ["abandon 3", "reconnecting 2 in 3 s"])
        #expect(harness.advance(by: .seconds(3)) == ["dial 4"])
        #expect(harness.lose(link: 4, in: .resolve) == ["reconnecting 3 in 7 s"])
        #expect(harness.advance(by: .seconds(7)) == ["dial 5"])
    }
}

/// The time of an attempt through a proxy.
@Suite struct TunnelTimeTests {
    private static var harness: MachineHarness {
        var settings = ConnectionSettings()
        settings.usesProxy = true
        var harness = MachineHarness(settings)
        _ = harness.feed(.start)
        return harness
    }

    private static let link = MachineHarness.link(1)

    @Test("parity: E16, R4 – a proxy is to be reached within 15 s")
    func theProxyIsToBeReachedInTime() {
        var harness = Self.harness
        #expect(harness.advance(by: .milliseconds(14_999)) == [])
        #expect(harness.advance(by: .milliseconds(1)) == ["abandon 1", "reconnecting 1 in 1 s"])
        #expect(harness.cause?.layer == .proxy)
    }

    @Test("parity: E16 – a proxy has 30 s for the tunnel, which is its own error")
    func theTunnelHasThirtySeconds() {
        var harness = Self.harness
        _ = harness.advance(by: .seconds(5))
        #expect(harness.feed(.dialReached(Self.link, .tunnelling)) == [])
        #expect(harness.advance(by: .milliseconds(29_999)) == [])
        #expect(harness.advance(by: .milliseconds(1)) == ["abandon 1", "reconnecting 1 in 1 s"])
        #expect(harness.cause?.layer == .proxy && harness.cause?.description.contains("tunnel") == true)
    }

    @Test("parity: E16 – behind the tunnel the rest of the 15 s counts")
    func behindTheTunnelTheRestCounts() {
        var harness = Self.harness
        _ = harness.advance(by: .seconds(5))
        _ = harness.feed(.dialReached(Self.link, .tunnelling))
        _ = harness.advance(by: .seconds(29))
        #expect(harness.feed(.dialReached(Self.link, .tunnelled)) == [])
        // Stages that come twice, or of another link, give no time.
        _ = harness.feed(.dialReached(Self.link, .tunnelling))
        _ = harness.feed(.dialReached(Self.link, .tunnelled))
        _ = harness.feed(.dialReached(MachineHarness.link(2), .tunnelling))
        #expect(harness.advance(by: .milliseconds(9_999)) == [])
        #expect(harness.advance(by: .milliseconds(1)) == ["abandon 1", "reconnecting 1 in 1 s"])
        #expect(harness.cause?.layer == .connect)
    }
}
