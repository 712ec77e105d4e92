import ProcessRuntime
import PushHTTP2
import PushTransport
import Testing

@testable import SupervisedPush

@Suite("parity: F20 – what the windows do not take is not begun")
struct WindowTests {
    /// The bytes of a sample's payload.
    private let size = MachineSamples.push.notification.payloadBytes

    /// A link that is up, whose peer takes what the test says.
    private func up(_ window: SendWindow, limit: Int = 1_000) -> MachineHarness {
        var settings = ConnectionSettings()
        settings.liveness = PushConnection.Configuration.Liveness()
        var harness = MachineHarness.up(limit: limit, settings)
        harness.window = nil
        _ = harness.takes(window)
        return harness
    }

    private func long(_ harness: MachineHarness, seconds: Int = 600) -> PushTimes {
        PushTimes(
            timeout: .seconds(seconds), timeoutFromCall: harness.now.advanced(by: .seconds(seconds)), deadline: nil,
            expiration: nil)
    }

    @Test func pushesBeginWhileTheConnectionTakesThemWhole() {
        var harness = up(SendWindow(connection: 2 * size + 1))
        #expect(harness.push(1, 2, 3, 4) == ["submit 1 on 1/1", "submit 2 on 1/3"])
        #expect(harness.room.waiting == 2 && harness.machine.inFlight == 2)
        #expect(harness.machine.standing().gauges.isShortOfWindow)
        #expect(harness.takes(SendWindow(connection: size, granted: 1)) == ["submit 3 on 1/5"])
        // An answer gives no bytes back.
        #expect(harness.answer(1) == ["finish 1: 200"])
        #expect(harness.takes(SendWindow(connection: size, granted: 2)) == ["submit 4 on 1/7"])
        #expect(!harness.machine.standing().gauges.isShortOfWindow)
    }

    @Test func whatWaitsForTheWindowEndsNotSentAndSaysWhy() throws {
        var harness = up(SendWindow(connection: 0))
        let records = [harness.record(1), harness.record(2)]
        #expect(harness.offer(records) == [])
        #expect(harness.feed(.cancel(records[0])) == ["finish 1: cancelled not_sent"])
        var error: PushError?
        harness.now = harness.now.advanced(by: .seconds(10))
        _ = harness.change { room in
            room.tick()
            if case .failure(let failure)? = room.effects.endings.first?.outcome(nil) { error = failure }
        }
        let timeout = try #require(error)
        #expect(timeout.code == .timedOut && timeout.certainty == .notSent && timeout.layer == .http2)
        #expect(timeout.description.contains("The server takes no more bytes (flow control)."))
    }

    @Test func aBodyThatAStreamDoesNotTakeGoesAlone() {
        var harness = up(SendWindow(stream: size - 1))
        #expect(harness.push(1, 2) == ["submit 1 on 1/1"])
        let blocked = SendWindow(connection: 65_535 - size, stream: size - 1, isBlocked: true, isClear: false)
        #expect(harness.takes(blocked) == [])
        // Its END_STREAM has left.
        #expect(
            harness.takes(SendWindow(connection: 65_535 - size, stream: size - 1, granted: 1)) == ["submit 2 on 1/3"])
    }

    @Test func aBodyThatTheConnectionDoesNotTakeWaitsForTheAnswersFirst() {
        var harness = up(SendWindow(connection: 2 * size - 1))
        #expect(harness.push(1, 2) == ["submit 1 on 1/1"])
        #expect(harness.takes(SendWindow(connection: size - 1)) == [])
        // Every byte was read, and none was given back.
        #expect(harness.answer(1) == ["finish 1: 200", "submit 2 on 1/3"])
    }

    @Test func nothingBeginsWhileTheConnectionTakesNothing() {
        var harness = up(SendWindow(connection: 0))
        #expect(harness.push(1) == [])
        #expect(harness.takes(SendWindow(connection: 1, granted: 1)) == ["submit 1 on 1/1"])
    }

    @Test func aPushThatWaitsForTheWindowAsksForNoLateStream() throws {
        var harness = up(SendWindow(), limit: 1)
        _ = harness.push(1, times: long(harness, seconds: 2))
        #expect(harness.advance(by: .seconds(2)) == ["finish 1: timed_out unknown"])
        _ = harness.takes(SendWindow(connection: 0))
        #expect(harness.push(2, times: long(harness)) == [])
        // The late stream can be reset now, and that would not help.
        let wake = try #require(harness.machine.nextWake)
        #expect(wake > harness.now)
        #expect(harness.takes(SendWindow(granted: 1)) == ["reset 1/1", "late 1: no answer", "submit 2 on 1/3"])
    }

    // MARK: Stalls

    @Test func aLinkThatTakesNothingForTheStallTimeGetsASuccessor() {
        var harness = up(SendWindow(connection: 0))
        #expect(harness.push(1, times: long(harness)) == [])
        #expect(harness.advance(by: .milliseconds(7_999)) == [])
        #expect(harness.advance(by: .milliseconds(1)) == ["draining 1", "close 1", "dial 2"])
        #expect(harness.comeUp(link: 2) == ["submit 1 on 2/1", "up 2"])
    }

    @Test func eachByteOfTheWindowPutsTheStallOff() {
        var harness = up(SendWindow(connection: 0))
        _ = harness.push(1, times: long(harness))
        for granted in UInt64(1)...5 {
            #expect(harness.advance(by: .seconds(7)) == [])
            #expect(harness.takes(SendWindow(connection: -1, isBlocked: true, isClear: false, granted: granted)) == [])
        }
        #expect(harness.advance(by: .seconds(8)).first == "draining 1")
    }

    @Test func afterTheFirstItCountsAsAFailedAttemptAndTheOutageGoesOn() {
        var harness = up(SendWindow(connection: 0))
        _ = harness.push(1, times: long(harness))
        _ = harness.advance(by: .seconds(8))
        for attempt in 1...3 {
            // It is not announced as up.
            let link = UInt32(attempt + 1)
            #expect(harness.comeUp(link: link, taking: SendWindow(connection: 0)) == [])
            #expect(harness.machine.phase == .dialing)
            let pause = (1 << attempt) - 1
            #expect(
                harness.advance(by: .seconds(8)) == ["close \(link)", "reconnecting \(attempt) in \(pause) s"])
            #expect(harness.cause?.description.contains("The server takes no more bytes (flow control).") == true)
            #expect(harness.advance(by: .seconds(pause)) == ["dial \(link + 1)"])
        }
        #expect(harness.comeUp(link: 5, taking: SendWindow()) == ["submit 1 on 5/1", "up 5"])
        #expect(harness.answer(1, link: 5) == ["finish 1: 200"])
    }

    @Test func anAnswerProvesALinkThoughOthersWait() {
        var harness = up(SendWindow(connection: 0))
        _ = harness.push(1, 2, times: long(harness))
        _ = harness.advance(by: .seconds(8))
        #expect(harness.comeUp(link: 2, taking: SendWindow(connection: size)) == ["submit 1 on 2/1"])
        #expect(harness.answer(1, link: 2) == ["up 2", "finish 1: 200"])
        #expect(harness.advance(by: .seconds(8)) == ["draining 2", "close 2", "reconnecting 1 in 1 s"])
    }

    @Test func aLinkThatWasFineForLongGetsASuccessorAtOnceAgain() {
        var harness = up(SendWindow(connection: 0))
        _ = harness.push(1, times: long(harness))
        _ = harness.advance(by: .seconds(8))
        _ = harness.comeUp(link: 2, taking: SendWindow())
        _ = harness.answer(1, link: 2)
        _ = harness.advance(by: .seconds(30))
        _ = harness.takes(SendWindow(connection: 0))
        _ = harness.push(2, times: long(harness))
        #expect(harness.advance(by: .seconds(8)) == ["draining 2", "close 2", "dial 3"])
    }

    @Test func whatWentAloneAndHasNotLeftIsUnprocessed() {
        var harness = up(SendWindow(stream: 0))
        harness.fates = [1: .unprocessed]
        _ = harness.push(1, 2, times: long(harness))
        let blocked = SendWindow(connection: 65_535 - size, stream: 0, isBlocked: true, isClear: false)
        #expect(harness.takes(blocked) == [])
        #expect(
            harness.advance(by: .seconds(8)) == [
                "draining 1", "dial 2", "reset 1/1", "close 1",
            ])
        #expect(harness.comeUp(link: 2, taking: SendWindow()) == ["submit 1 on 2/1 again", "submit 2 on 2/3", "up 2"])
    }

    @Test func whatWentAloneAndTimesOutSaysWhy() throws {
        var harness = up(SendWindow(stream: 0))
        harness.fates = [1: .unprocessed]
        _ = harness.push(1)
        let blocked = SendWindow(connection: 65_535 - size, stream: 0, isBlocked: true, isClear: false)
        for granted in UInt64(1)...2 {
            _ = harness.advance(by: .seconds(5))
            _ = harness.takes(
                SendWindow(connection: blocked.connection, stream: 0, isBlocked: true, isClear: false, granted: granted)
            )
        }
        #expect(harness.outcomes[1] == ["timed_out unprocessed"])
    }

    @Test func theTimeToAnswerCountsFromTheEndOfTheBody() {
        var harness = up(SendWindow(stream: 0))
        _ = harness.push(1, times: long(harness))
        for granted in UInt64(1)...3 {
            #expect(harness.advance(by: .seconds(6)).allSatisfy { $0.hasPrefix("ping") })
            _ = harness.pong(granted)
            let connection = 65_535 - size
            _ = harness.takes(
                SendWindow(connection: connection, stream: 0, isBlocked: true, isClear: false, granted: granted))
        }
        _ = harness.takes(SendWindow(connection: 65_535 - size, stream: 0, granted: 4))
        #expect(harness.advance(by: .milliseconds(4_999)) == [])
        #expect(harness.advance(by: .milliseconds(1)).first?.hasPrefix("ping") == true)
    }

    @Test func noStallWhileNothingWaits() {
        var harness = up(SendWindow(connection: 0))
        let record = harness.record(1, long(harness))
        _ = harness.offer([record])
        _ = harness.advance(by: .seconds(4))
        _ = harness.feed(.cancel(record))
        #expect(harness.advance(by: .seconds(60)) == [])
        #expect(harness.push(2, times: long(harness)) == [])
        #expect(harness.advance(by: .milliseconds(7_999)).filter { !$0.hasPrefix("ping") } == [])
    }
}

extension MachineHarness {
    /// The session of the current link says what its peer takes.
    fileprivate mutating func takes(_ window: SendWindow) -> [String] {
        guard let (link, _) = machine.knownWindow else { return ["no link"] }
        return feed(.window(link, window))
    }

    /// A link comes up whose peer takes this.
    fileprivate mutating func comeUp(link: UInt32, taking window: SendWindow) -> [String] {
        // As in a process, the window is known before the first push is taken.
        (self.window, givesBack) = (window, false)
        defer { self.window = nil }
        return comeUp(link: link)
    }
}
