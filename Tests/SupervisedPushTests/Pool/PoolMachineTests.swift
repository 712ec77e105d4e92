import ProcessRuntime
import Testing

@testable import SupervisedPush

/// How many connections a pool has, and what one of them means for the others.
@Suite struct PoolMachineTests {
    typealias Load = PoolMachine.Load
    private var now = MonotonicInstant(nanoseconds: 1_000_000_000)
    private static let refusal = CredentialRefusal(.badCertificateEnvironment, at: .http2, "refused")

    private func machine(_ size: ClosedRange<Int>) -> PoolMachine { PoolMachine(size: size, members: [1, 2]) }

    private func load(_ outstanding: Int, of capacity: Int, areAllUp: Bool = true) -> Load {
        Load(capacity: capacity, outstanding: outstanding, areAllUp: areAllUp)
    }

    @Test func itStartsWhatIsMissing() {
        var machine = PoolMachine(size: 3...5, members: [1])
        #expect(machine.handle(.start, now) == [.start(2), .start(3)])
        #expect(machine.handle(.start, now) == [])
        #expect(machine.nextWake == nil)
    }

    @Test("parity: P2 – a pool is resized: it starts what is missing and retires the youngest")
    func resizing() {
        var machine = machine(2...2)
        #expect(machine.handle(.resize(4...6), now) == [.start(3), .start(4)])
        #expect(machine.handle(.resize(1...1), now) == [.retire(4), .retire(3), .retire(2)])
        // One that was retired has ended as it should.
        #expect(machine.handle(.ended(4, nil), now) == [])
        #expect(machine.nextWake == nil)
    }

    @Test func aMemberThatWasClosedIsReplacedAtOnceIfThePoolNeedsIt() {
        var machine = machine(2...3)
        #expect(machine.handle(.left(1), now) == [.start(3)])
        #expect(machine.handle(.left(1), now) == [])
        #expect(machine.handle(.ended(1, nil), now) == [])
        #expect(machine.nextWake == nil && machine.members == [2, 3])
        var spare = PoolMachine(size: 1...3, members: [1, 2])
        #expect(spare.handle(.left(1), now) == [])
        // The last one, too: the pool is not given up.
        #expect(spare.handle(.left(2), now) == [.start(3)])
    }

    @Test func itGrowsAfterTwoBusyLooks() {
        var machine = machine(2...3)
        #expect(machine.handle(.busy, now) == [])
        #expect(machine.nextWake == now.advanced(by: .seconds(1)))
        let busy = load(161, of: 200)
        #expect(machine.handle(.tick(busy), now) == [])
        #expect(machine.handle(.tick(busy), now) == [.start(3)])
        // No more than it may have, and none while one is still to come up.
        let three = load(161, of: 200, areAllUp: false)
        for _ in 0..<5 { #expect(machine.handle(.tick(three), now) == []) }
    }

    @Test func fourFifthsAreNotBusy() {
        var machine = machine(2...3)
        for _ in 0..<5 { #expect(machine.handle(.tick(load(160, of: 200)), now) == []) }
    }

    @Test func itShrinksAfterHalfAMinuteOfIdleness() {
        var machine = PoolMachine(size: 1...3, members: [1, 2, 3])
        let idle = load(30, of: 300)
        for _ in 1..<PoolMachine.looksToShrink { #expect(machine.handle(.tick(idle), now) == []) }
        #expect(machine.handle(.tick(idle), now) == [.retire(3)])
        #expect(machine.handle(.tick(load(20, of: 200)), now) == [.retire(2)])
        #expect(machine.handle(.tick(load(0, of: 100)), now) == [])
        #expect(machine.nextWake == nil, "nothing is under way, and nothing to shrink")
    }

    @Test func aPushIsLookedAfterAlsoWhileAMemberIsToBeReplaced() {
        var machine = machine(2...2)
        #expect(machine.handle(.ended(1, nil), now).isEmpty)
        #expect(machine.nextWake == now.advanced(by: PoolMachine.pauseAfterGivingUp) && !machine.isWatching)
        #expect(machine.handle(.busy, now).isEmpty)
        #expect(machine.nextWake == now.advanced(by: PoolMachine.interval) && machine.isWatching)
    }

    @Test("parity: P7 – with a credential that is refused from the start, the whole pool is given up")
    func refusedFromTheStart() {
        var machine = machine(2...2)
        #expect(machine.handle(.ended(1, Self.refusal), now) == [.giveUp(Self.refusal)])
    }

    @Test func aRetiredMemberThatApnsRefusedConcernsAllToo() {
        var machine = machine(1...2)
        #expect(machine.handle(.resize(1...1), now) == [.retire(2)])
        #expect(machine.handle(.ended(2, Self.refusal), now) == [.giveUp(Self.refusal)])
    }

    @Test func oneThatItNeverHadConcernsNobody() {
        var machine = machine(2...2)
        #expect(machine.handle(.ended(3, nil), now) == [])
    }

    @Test func whatIsGivenUpIsReplacedAfterAPause() {
        var machine = machine(2...2)
        #expect(machine.handle(.ended(1, nil), now) == [])
        let due = now.advanced(by: PoolMachine.pauseAfterGivingUp)
        #expect(machine.nextWake == due)
        #expect(machine.handle(.tick(load(0, of: 1_000)), due) == [.start(3)])
        #expect(machine.handle(.ended(2, nil), due) == [])
        #expect(machine.handle(.ended(3, nil), due) == [.giveUp(nil)])
    }
}
