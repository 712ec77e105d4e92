import PushLocking
import SupervisedPush
import Testing

@testable import PushServer
@testable import PushSimulator

@Suite("The pace of the event stream of an inbox") struct EventStreamTests {
    @Test func isTwentyUpdatesASecondHoweverFastPushesCome() async throws {
        let store = InboxStore(limits: InboxLimits())
        let now = Locked(Duration.zero)
        let stream = EventStream(store, EventWriter(), from: InboxPosition(push: 0, event: 0)) { pause in
            let isSecondOver = now.withLock {
                $0 += pause
                return $0 >= .seconds(1)
            }
            if isSecondOver { store.close() }
        }
        var updates: [[Int]] = []
        store.arrived([ObservedPush.sample()])
        try await stream.run { bytes in
            guard !bytes.starts(with: "retry".utf8) else { return }
            updates.append(try SentEvent.list(bytes).compactMap { $0.data?["number"]?.integerValue })
            // The next ones are there before the pause; without pauses the clock would stand, and this ends it.
            if updates.count < 100 { store.arrived([ObservedPush.sample(), .sample()]) } else { store.close() }
        }
        #expect(updates.count == 20)
        #expect(updates.flatMap(\.self) == Array(1...39))
    }
}
