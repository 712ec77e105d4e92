import PushSimulator
import SupervisedPush
import Testing

@testable import PushServer
@testable import PushSimulator

/// The events of a stream, read as a browser reads them.
struct SentEvent {
    var name = ""
    var id: String?
    var data: JSONValue?

    static func list(_ bytes: [UInt8]) throws -> [SentEvent] {
        try String(decoding: bytes, as: UTF8.self).split(separator: "\n\n").map { block in
            var event = SentEvent()
            for line in block.split(separator: "\n") {
                let parts = line.split(separator: ": ", maxSplits: 1)
                switch parts[0] {
                case "event": event.name = String(parts[1])
                case "id": event.id = String(parts[1])
                case "data": event.data = try parsed(Array(parts[1].utf8))
                default: Issue.record("unknown: \(line)")
                }
            }
            return event
        }
    }
}

@Suite("The event stream of an inbox") struct EventWriterTests {
    private static let start = InboxPosition(push: 0, event: 0)

    private func store(_ change: (inout InboxLimits) -> Void = { _ in }) -> InboxStore {
        var limits = InboxLimits()
        change(&limits)
        return InboxStore(limits: limits)
    }

    private func note(_ store: InboxStore, _ kind: ProviderEvent.Kind) {
        store.noted(ProviderEvent(connection: ConnectionID(1), kind: kind, wallClock: InboxPush.noon))
    }

    @Test func hasConnectionsAndPushesInTheirOrder() throws {
        let store = store()
        note(store, .opened)
        note(store, .established)
        store.arrived([ObservedPush.sample(), .sample(refusal: .badTopic)])
        note(store, .goAway(code: 0, lastStream: 3, debugData: "x\n\ndata: y"))
        store.arrived([ObservedPush.sample()])
        note(store, .closed)
        let news = store.news(after: Self.start)
        let events = try SentEvent.list(EventWriter().events(news, after: Self.start))
        #expect(
            events.map(\.name)
                == ["connection", "connection", "push", "push", "refusal", "goaway", "push", "connection"])
        #expect(events.map(\.id) == ["0-1", "0-2", "1-2", "2-2", "2-2", "2-3", "3-3", "3-4"])
        #expect(events[0].data?["state"]?.stringValue == "opened" && events[7].data?["state"]?.stringValue == "closed")
        #expect(events[4].data?["reason"]?.stringValue == "BadTopic")
        #expect(events[5].data?["debug_data"]?.stringValue == "x\n\ndata: y")
        #expect(news.position.text == "3-4")
    }

    @Test func continuesAfterAnEvent() throws {
        let store = store()
        store.arrived((0..<5).map { _ in ObservedPush.sample() })
        note(store, .closed)
        let position = try #require(InboxPosition("3-0"))
        let events = try SentEvent.list(EventWriter().events(store.news(after: position), after: position))
        #expect(events.map(\.id) == ["4-0", "5-0", "5-1"])
        let end = store.position
        #expect(EventWriter().events(store.news(after: end), after: end).isEmpty)
    }

    @Test(arguments: ["", "1", "1-", "-1", "a-b", "1-2-3", "-1-2", "1--2"])
    func knowsNoOtherPositions(_ text: String) { #expect(InboxPosition(text) == nil) }

    @Test func hasTheNewestOfAnUpdateAndCountsTheRest() throws {
        let store = store()
        store.arrived((0..<100).map { _ in ObservedPush.sample() })
        let writer = EventWriter(isSummary: true, most: 3)
        let events = try SentEvent.list(writer.events(store.news(after: Self.start), after: Self.start))
        #expect(events.map(\.name) == ["counts", "push", "push", "push"])
        #expect(events[0].data?["skipped"]?.integerValue == 97 && events[0].data?["lost"]?.integerValue == 0)
        #expect(events.map(\.id) == [nil, "98-0", "99-0", "100-0"])
        #expect(events[3].data?["headers"] == nil && events[3].data?["bytes"]?.integerValue == 28)
    }

    @Test func countsWhatMadeRoomBeforeItWasRead() throws {
        let store = store { $0.pushes = 2 }
        store.arrived((0..<10).map { _ in ObservedPush.sample() })
        let events = try SentEvent.list(EventWriter().events(store.news(after: Self.start), after: Self.start))
        #expect(events.map(\.name) == ["counts", "push", "push"])
        #expect(events[0].data?["skipped"]?.integerValue == 8 && events[0].data?["lost"]?.integerValue == 8)
    }

    @Test func hasWhatTheFilterMeansAndGoesOnAfterTheRest() throws {
        let store = store()
        store.arrived([ObservedPush.sample(type: "voip"), .sample(), .sample(type: "voip"), .sample()])
        var writer = EventWriter()
        writer.filter.type = "voip"
        let news = store.news(after: Self.start)
        let events = try SentEvent.list(writer.events(news, after: Self.start))
        #expect(events.map(\.id) == ["1-0", "3-0"] && news.position.push == 4)
    }

    @Test func isTakenInBoundedParts() {
        let store = store()
        store.arrived((0..<10).map { _ in ObservedPush.sample() })
        var position = Self.start
        var parts: [[Int]] = []
        while true {
            let news = store.news(after: position, most: 4)
            if news.isEmpty { break }
            parts.append(news.pushes.map(\.number))
            position = news.position
        }
        #expect(parts == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]])
    }

    @Test func saysWhatElseChanged() throws {
        let store = store()
        store.changed(.rules)
        _ = store.remove { _ in true }
        let events = try SentEvent.list(EventWriter().events(store.news(after: Self.start), after: Self.start))
        #expect(events.map { $0.data?["what"]?.stringValue } == ["pushes", "rules"])
    }

    @Test func keepsABoundedNumberOfEvents() {
        let store = store()
        for _ in 0..<InboxStore.mostEvents + 5 { note(store, .opened) }
        let news = store.news(after: Self.start)
        #expect(news.events.count == InboxStore.mostEvents && news.events.first?.number == 6)
    }

    // MARK: Waiting

    @Test func wakesThoseWhoWait() async {
        let store = store()
        let version = store.version
        async let waiting: Void = store.waitForChange(after: version, within: .seconds(100))
        store.arrived([ObservedPush.sample()])
        await waiting
        #expect(store.version == version + 1)
    }

    @Test func waitsNoLongerThanItMay() async {
        let store = store()
        await store.waitForChange(after: store.version, within: .zero)
        await store.waitForChange(after: store.version - 1, within: .seconds(100))
        let task = Task { await store.waitForChange(after: store.version, within: .seconds(100)) }
        task.cancel()
        await task.value
        store.close()
        await store.waitForChange(after: store.version, within: .seconds(100))
        #expect(store.news(after: Self.start).isClosed)
    }

    @Test func forgetsWhatIsTooOldAsPushesCome() {
        let store = store { $0.age = .seconds(10) }
        store.arrived([ObservedPush.sample(time: InboxPush.noon), .sample(time: InboxPush.noon + 11_000)])
        #expect(store.pushes.after(0).map(\.number) == [2] && store.totals.evicted == 1 && store.totals.accepted == 2)
    }
}
