import SupervisedPush
import Testing

@testable import pushctl

/// What a file of queues changes that was read again.
@Suite struct QueueChangesTests {
    private func settings(_ topic: String, _ rate: Double? = nil) -> QueueSettings {
        QueueSettings(
            connection: .object(["topic": .string(topic)]),
            rate: RateSetting(perSecond: rate.flatMap { PushesPerSecond(argument: "\($0)") }, burst: nil))
    }

    @Test func eachKindOfChangeIsFound() {
        let old = ["a": settings("t"), "b": settings("t"), "c": settings("t"), "d": settings("t", 5)]
        let new = ["a": settings("t"), "b": settings("u"), "d": settings("t", 6), "e": settings("t")]
        let changes = QueueChanges(from: old, to: new)
        #expect(changes.added == ["e"] && changes.removed == ["c"])
        #expect(changes.replaced == ["b"] && changes.paced == ["d"] && changes.kept == 1)
        #expect(changes.text == "1 new (e), 2 changed (b, d), 1 removed (c), 1 as before")
    }

    @Test func anotherConnectionAndAnotherRateAreOneChange() {
        let changes = QueueChanges(from: ["a": settings("t", 5)], to: ["a": settings("u", 6)])
        #expect(changes.replaced == ["a"] && changes.paced.isEmpty)
    }

    @Test func theSameFileChangesNothing() {
        let all = ["a": settings("t"), "b": settings("t", 1)]
        let changes = QueueChanges(from: all, to: all)
        #expect(changes.text == "2 as before")
        #expect(changes.added + changes.removed + changes.replaced + changes.paced == [])
    }

    @Test func aLineNamesFiveOfMany() {
        let new = Dictionary(uniqueKeysWithValues: (0..<7).map { ("q\($0)", settings("t")) })
        #expect(QueueChanges(from: [:], to: new).text == "7 new (q0, q1, q2, q3, q4, …)")
    }
}
