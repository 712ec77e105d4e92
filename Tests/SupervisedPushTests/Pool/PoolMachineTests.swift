import Testing

@testable import SupervisedPush

/// How many connections a pool has, and what one of them means for the others.
@Suite struct PoolMachineTests {
    typealias Load = PoolMachine.Load
    private var now = MonotonicInstant(nanoseconds: 1_000_000_000)
    private static let refusal = CredentialRefusal(.badCertificateEnvironment, .http2, "refused")

    private func machine(_ size: ClosedRange<Int>, up: Set<Int> = [1, 2], wasAccepted: Bool = true) -> PoolMachine {
        PoolMachine(size: size, members: [1, 2], up: up, wasAccepted: wasAccepted)
    }

    @Test func itStartsWhatIsMissing() {
        var machine = PoolMachine(size: 3...5, members: [1])
        #expect(machine.handle(.start, now) == [.start(2), .start(3)])
        #expect(machine.handle(.start, now) == [])
        #expect(machine.nextTick == nil)
    }

    @Test("parity: P2 – a pool is resized: it starts what is missing and retires the youngest")
    func resizing() {
        var machine = machine(2...2)
        #expect(machine.handle(.resize(4...6), now) == [.start(3), .start(4)])
        #expect(machine.handle(.resize(1...1), now) == [.retire(4), .retire(3), .retire(2)])
        // One that was retired has ended as it should.
        #expect(machine.handle(.ended(4, nil), now) == [])
        #expect(machine.nextTick == nil)
    }

    @Test func itGrowsAfterTwoBusyLooks() {
        var machine = machine(2...3)
        #expect(machine.handle(.busy, now) == [])
        #expect(machine.nextTick == now.advanced(by: .seconds(1)))
        let busy = [Load(id: 1, outstanding: 90, limit: 100), Load(id: 2, outstanding: 71, limit: 100)]
        #expect(machine.handle(.tick(busy), now) == [])
        #expect(machine.handle(.tick(busy), now) == [.start(3)])
        // No more than it may have, and none while one is still to come up.
        let three = busy + [Load(id: 3, isUp: false, outstanding: 0, limit: 0)]
        for _ in 0..<5 { #expect(machine.handle(.tick(three), now) == []) }
    }

    @Test func fourFifthsAreNotBusy() {
        var machine = machine(2...3)
        let loads = [Load(id: 1, outstanding: 80, limit: 100), Load(id: 2, outstanding: 80, limit: 100)]
        for _ in 0..<5 { #expect(machine.handle(.tick(loads), now) == []) }
    }

    @Test func itShrinksAfterHalfAMinuteOfIdleness() {
        var machine = PoolMachine(size: 1...3, members: [1, 2, 3], up: [1, 2, 3], wasAccepted: true)
        let idle = (1...3).map { Load(id: $0, outstanding: 10, limit: 100) }
        for _ in 1..<PoolMachine.looksToShrink { #expect(machine.handle(.tick(idle), now) == []) }
        #expect(machine.handle(.tick(idle), now) == [.retire(3)])
        #expect(machine.handle(.tick(Array(idle.prefix(2))), now) == [.retire(2)])
        let last = [Load(id: 1, outstanding: 0, limit: 100)]
        #expect(machine.handle(.tick(last), now) == [])
        #expect(machine.nextTick == nil, "nothing is under way, and nothing to shrink")
    }

    @Test("parity: F8 – what waits where the link is gone goes to the others")
    func whatWaitsIsSpread() {
        var machine = machine(2...2)
        #expect(machine.handle(.heard(1, .left), now) == [.spread(1)])
        // Nobody is left that could take it.
        #expect(machine.handle(.heard(2, .left), now) == [])
        #expect(machine.handle(.heard(1, .up), now) == [.spread(2)])
        #expect(machine.handle(.heard(2, .up), now) == [])
    }

    @Test func whileItClosesEachSendsWhatItHas() {
        var machine = machine(2...2, up: [])
        #expect(machine.handle(.close, now) == [.closeAll])
        #expect(machine.handle(.heard(1, .up), now) == [])
        #expect(machine.handle(.heard(2, .up), now) == [])
        #expect(machine.handle(.heard(1, .left), now) == [])
    }

    @Test func aPushIsLookedAfterAlsoWhileAMemberIsToBeReplaced() {
        var machine = machine(2...2)
        #expect(machine.handle(.ended(1, nil), now).isEmpty)
        #expect(machine.nextTick == now.advanced(by: PoolMachine.pauseAfterGivingUp) && !machine.isWatching)
        #expect(machine.handle(.busy, now).isEmpty)
        #expect(machine.nextTick == now.advanced(by: PoolMachine.interval) && machine.isWatching)
    }

    @Test func whileItClosesItLooksAtNoLoads() {
        var machine = machine(2...2)
        #expect(machine.handle(.close, now) == [.closeAll])
        #expect(machine.handle(.busy, now).isEmpty && machine.nextTick == nil)
    }

    @Test func aLookThatFallsDueWhenTheCredentialIsHopelessIsTheLast() {
        var machine = machine(2...2, wasAccepted: false)
        #expect(machine.handle(.busy, now).isEmpty && machine.nextTick != nil)
        #expect(machine.handle(.ended(1, Self.refusal), now) == [.refuse(2, Self.refusal)])
        #expect(machine.handle(.tick([Load(id: 2, outstanding: 90, limit: 100)]), now).isEmpty)
        #expect(machine.nextTick == nil, "it would come again at once, and again")
    }

    @Test func oneThatWasNotStartedIsNotWaitedFor() {
        var machine = machine(2...2)
        #expect(machine.handle(.resize(3...3), now) == [.start(3)])
        #expect(machine.handle(.notStarted(3), now) == [])
        #expect(machine.handle(.ended(3, nil), now) == [], "it never was a member")
        #expect(machine.handle(.close, now) == [.closeAll])
        #expect(machine.handle(.ended(1, nil), now) == [])
        #expect(machine.handle(.ended(2, nil), now) == [.end(nil, isGivingUp: false)])
    }

    @Test func oneThatWasNotStartedMayBeTheLast() {
        var machine = machine(2...2)
        #expect(machine.handle(.resize(3...3), now) == [.start(3)])
        #expect(machine.handle(.close, now) == [.closeAll])
        #expect(machine.handle(.ended(1, nil), now) == [])
        #expect(machine.handle(.ended(2, nil), now) == [])
        #expect(machine.handle(.notStarted(3), now) == [.end(nil, isGivingUp: false)])
    }

    @Test func whatWaitsAlthoughThereIsRoomElsewhereIsSpread() {
        var machine = machine(2...2)
        let lowered = [Load(id: 1, outstanding: 30, limit: 1), Load(id: 2, outstanding: 10, limit: 100)]
        #expect(machine.handle(.tick(lowered), now) == [.spread(1)])
        let full = [Load(id: 1, outstanding: 30, limit: 1), Load(id: 2, outstanding: 100, limit: 100)]
        #expect(machine.handle(.tick(full), now).isEmpty)
    }

    @Test("parity: P7 – refused before any push was accepted, the whole pool ends")
    func refusedFromTheStart() {
        var machine = machine(2...2, wasAccepted: false)
        #expect(machine.handle(.ended(1, Self.refusal), now) == [.refuse(2, Self.refusal)])
        #expect(machine.handle(.ended(2, Self.refusal), now) == [.end(Self.refusal, isGivingUp: true)])
    }

    @Test("parity: P7 – refused later, all are suspended, and one of them tries")
    func suspendedTogether() {
        var machine = machine(2...3)
        #expect(machine.handle(.heard(2, .suspended(Self.refusal)), now) == [.refuse(1, Self.refusal)])
        #expect(machine.handle(.heard(1, .suspended(Self.refusal)), now) == [])
        // A new one is told, and one that is not the first proves nothing.
        #expect(machine.handle(.resize(3...3), now) == [.start(3), .refuse(3, Self.refusal)])
        #expect(machine.handle(.heard(2, .up), now) == [.spread(1), .spread(3)])
        #expect(machine.handle(.heard(1, .up), now) == [.resume(2), .resume(3)])
    }

    @Test func theFirstAcceptedPushCountsForAll() {
        var machine = machine(2...2, wasAccepted: false)
        #expect(machine.handle(.heard(2, .accepted), now) == [.accept(1)])
        #expect(machine.handle(.heard(1, .accepted), now) == [])
    }

    @Test func whatIsGivenUpIsReplacedAfterAPause() {
        var machine = machine(2...2)
        #expect(machine.handle(.ended(1, nil), now) == [])
        let due = now.advanced(by: PoolMachine.pauseAfterGivingUp)
        #expect(machine.nextTick == due)
        #expect(machine.handle(.tick([Load(id: 2)]), due) == [.start(3)])
        #expect(machine.handle(.ended(2, nil), due) == [])
        #expect(machine.handle(.ended(3, nil), due) == [.end(nil, isGivingUp: true)])
    }

    @Test func closingWaitsForEveryMember() {
        var machine = machine(1...2)
        #expect(machine.handle(.resize(1...1), now) == [.retire(2)])
        #expect(machine.handle(.close, now) == [.closeAll])
        #expect(machine.handle(.ended(1, nil), now) == [])
        #expect(machine.handle(.ended(2, nil), now) == [.end(nil, isGivingUp: false)])
        var empty = PoolMachine(size: 1...1)
        #expect(empty.handle(.close, now) == [.end(nil, isGivingUp: false)])
    }

    @Test func aPushGoesToTheLeastLoadedOfTheBestKind() {
        func best(_ members: [MemberStanding], from start: Int = 0, isSuspect: Bool = false) -> Int? {
            MemberStanding.best(of: members.count, from: start, isSuspect: isSuspect) { members[$0] }
        }
        func standing(
            _ phase: ConnectionPhase, _ outstanding: Int = 0, limit: Int = 100, isThrottled: Bool = false,
            isFull: Bool = false
        ) -> MemberStanding {
            MemberStanding(
                phase: phase, isThrottled: isThrottled, limit: limit,
                crowd: Intake.Crowd(outstanding: outstanding, isFull: isFull))
        }
        #expect(best([]) == nil)
        #expect(best([standing(.up, 5), standing(.up, 4), standing(.up, 9)]) == 1)
        #expect(best([standing(.up, 4), standing(.up, 4), standing(.up, 4)], from: 2) == 2)
        #expect(best([standing(.up, 40, limit: 100), standing(.up, 50, limit: 1_000)]) == 1)
        #expect(best([standing(.down), standing(.dialing), standing(.up, 900)]) == 2)
        #expect(best([standing(.down), standing(.dialing), standing(.up, 50, isFull: true)]) == 1)
        let lowered = standing(.up, 0, limit: 1, isThrottled: true)
        #expect(best([lowered, standing(.up, 90)]) == 1)
        #expect(best([lowered, standing(.up, 90)], isSuspect: true) == 0)
        #expect(best([lowered, standing(.dialing)]) == 0, "better than none")
        let suspended = Array(repeating: standing(.suspended), count: 3)
        #expect(best(suspended, from: 2) == 0, "the first one's push is the probe")
    }
}
