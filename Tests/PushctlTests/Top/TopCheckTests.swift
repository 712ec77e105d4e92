import Testing

@testable import pushctl

/// What `top --check` finds.
@Suite struct TopCheckTests {
    @Test func aLineNamesEachLinkThatIsNotUp() throws {
        var sample = SampleSnapshot()
        sample.add("c-1", try SampleSnapshot.status("orders"))
        sample.add(
            "c-2",
            try SampleSnapshot.status(
                "news", phase: "down", SampleSnapshot.outage("127.0.0.1: Connection refused")))
        sample.addPool("p-1", try SampleSnapshot.status("big"))
        sample.add("c-3", parent: "p-1", member: 1, try SampleSnapshot.status(nil))
        sample.add("c-4", parent: "p-1", member: 2, try SampleSnapshot.status(nil, phase: "dialing"))
        sample.add("c-5", state: "closing", try SampleSnapshot.status("old", phase: "down"))
        #expect(
            TopCheck.problems(try sample.decoded()) == [
                "news: down: 127.0.0.1: Connection refused", "big 2: dialing",
            ])
    }

    @Test func whatIsUpIsWell() throws {
        var sample = SampleSnapshot()
        sample.add("c-1", try SampleSnapshot.status("orders"))
        #expect(TopCheck.problems(try sample.decoded()).isEmpty)
    }

    @Test func withoutAConnectionNothingIsPushed() throws {
        #expect(TopCheck.problems(try SampleSnapshot().decoded()) == ["orders-service 4711: no connection"])
    }

    @Test func aQueueWithoutAConnectionIsNamed() throws {
        var sample = SampleSnapshot()
        sample.unconnected = [("news", "suspended: no key")]
        #expect(TopCheck.problems(try sample.decoded()) == ["news: suspended: no key"])
        sample.add("c-1", try SampleSnapshot.status("orders"))
        #expect(TopCheck.problems(try sample.decoded()) == ["news: suspended: no key"])
        let lines = TopView(try sample.decoded(), before: nil).lines(width: 80, colors: false)
        #expect(lines.last == "news: suspended: no key")
        sample.unconnected = (0..<7).map { ("q\($0)", "suspended") }
        #expect(TopView(try sample.decoded(), before: nil).lines(width: 80, colors: false).last == "… 2 more")
    }
}
