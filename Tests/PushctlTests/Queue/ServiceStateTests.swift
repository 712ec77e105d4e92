import Testing

@testable import pushctl

/// What a worker tells a service manager.
@Suite struct ServiceStateTests {
    private let begins = ServiceState.Standing(isReady: false, text: "no link\nto it")
    private let works = ServiceState.Standing(isReady: true, text: "working")

    @Test func aServiceThatIsNotReadyAsksForTime() {
        var state = ServiceState(watchdog: nil)
        #expect(state.turned(begins, at: 0) == "EXTEND_TIMEOUT_USEC=60000000\nSTATUS=no link to it")
        #expect(state.turned(begins, at: 9) == nil)
        #expect(state.turned(begins, at: 10) == "EXTEND_TIMEOUT_USEC=60000000")
        #expect(state.turned(works, at: 11) == "READY=1\nSTATUS=working")
        #expect(state.turned(works, at: 12) == nil)
        // An outage later is no start.
        #expect(state.turned(begins, at: 30) == "STATUS=no link to it")
        #expect(state.turned(works, at: 31) == "STATUS=working")
    }

    @Test func aSignOfLifeComesTwiceInTheTimeThatTheManagerWaits() {
        var state = ServiceState(watchdog: 10)
        #expect(state.period == 1)
        var signs: [Double] = []
        for second in 0...20 {
            let text = state.turned(works, at: Double(second))
            if text?.contains("WATCHDOG=1") == true { signs.append(Double(second)) }
        }
        #expect(signs == [0, 5, 10, 15, 20])
        #expect(ServiceState(watchdog: 1).period == 0.25)
    }

    @Test func aReloadIsToldOnceItBeginsAndOnceItEnds() {
        var state = ServiceState(watchdog: nil)
        #expect(state.reloading(at: 5) == nil)
        #expect(state.reloaded() == nil)
        _ = state.turned(works, at: 0)
        #expect(state.reloading(at: 7) == "RELOADING=1\nMONOTONIC_USEC=7")
        #expect(state.reloading(at: 8) == nil)
        #expect(state.reloaded() == "READY=1")
        #expect(state.reloaded() == nil)
    }

    @Test func theEndIsToldOnce() {
        var state = ServiceState(watchdog: 10)
        #expect(state.stopping() == "STOPPING=1\nSTATUS=stopping")
        #expect(state.stopping() == nil)
        #expect(state.reloading(at: 1) == nil)
        // It is alive until it has ended.
        #expect(state.turned(begins, at: 3) == "WATCHDOG=1")
    }
}
