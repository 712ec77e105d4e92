import Locking
import Testing

@testable import SupervisedPush

@Suite("parity: E21, F4 – who wants to know when there is room is told once")
struct IntakeRoomTests {
    private final class Answers: Sendable {
        let all = Locked<[String]>([])
        func note(_ name: String) -> @Sendable (Result<Void, PushError>) -> Void {
            { result in
                let text: String
                switch result {
                case .success: text = "room"
                case .failure(let error): text = error.code.name
                }
                self.all.withLock { $0.append("\(name): \(text)") }
            }
        }
        var texts: [String] { all.withLock { $0 } }
    }

    private func offer(_ intake: Intake, _ outcome: OutcomeSink = .nobody) throws(PushError) -> PushRecord {
        let times = PushTimes(timeout: .seconds(10), timeoutFromCall: nil, deadline: nil, expiration: nil)
        let record = intake.issue(MachineSamples.push, times, PushPolicy(), RequestDefaults())
        try intake.offer(record, outcome)
        return record
    }

    private func release(_ record: PushRecord, _ intake: Intake) {
        var changes = IntakeChanges()
        changes.released = [record]
        intake.update(&changes, inFlight: 0, unsettled: 0)
    }

    @Test func atOnceWhereThereIsRoom() {
        let answers = Answers()
        Intake(bounds: .init()).whenRoom(nil, answers.note("a"))
        #expect(answers.texts == ["a: room"])
    }

    @Test func aCollectorHasABoundOfItsOwnAndWaitsHoweverManyOthersDo() throws {
        final class Nobody: OutcomeCollector { func take(_ settled: [SettledPush]) {} }
        let intake = Intake(bounds: .init(maxWaiting: 1, maxParked: 2))
        let first = try offer(intake)
        for _ in 0..<2 { #expect(try offer(intake, .thread(BlockedCaller())).admission == .parked) }
        #expect(throws: PushError.self) { try offer(intake, .thread(BlockedCaller())) }
        let own = try offer(intake, .collector(Nobody(), ticket: 0))
        #expect(own.admission == .parked && own.wasParked)
        release(first, intake)
        #expect(own.admission == .parked && intake.load.waiting == 1)
    }

    @Test func allOnceAPlaceIsFreeButAfterThoseWhosePushesWait() throws {
        let intake = Intake(bounds: .init(maxWaiting: 1))
        let answers = Answers()
        let first = try offer(intake)
        let parked = try offer(intake, .thread(BlockedCaller()))
        intake.whenRoom(nil, answers.note("a"))
        intake.whenRoom(nil, answers.note("b"))
        release(first, intake)
        #expect(answers.texts.isEmpty && parked.admission == .admitted)
        release(parked, intake)
        #expect(answers.texts == ["a: room", "b: room"])
    }

    @Test func noMoreThanItsBound() throws {
        let intake = Intake(bounds: .init(maxWaiting: 1, maxParked: 2))
        let answers = Answers()
        _ = try offer(intake)
        for name in ["a", "b", "c"] { intake.whenRoom(nil, answers.note(name)) }
        #expect(answers.texts == ["c: overloaded"])
    }

    @Test func takenBackAndClosed() throws {
        let intake = Intake(bounds: .init(maxWaiting: 1))
        let answers = Answers()
        _ = try offer(intake)
        let watcher = intake.newWatcher()
        intake.whenRoom(watcher, answers.note("a"))
        intake.whenRoom(nil, answers.note("b"))
        intake.stopWatching(watcher)
        intake.stopWatching(watcher)
        intake.close()
        intake.whenRoom(nil, answers.note("c"))
        #expect(answers.texts == ["a: cancelled", "b: closed", "c: closed"])
    }
}
