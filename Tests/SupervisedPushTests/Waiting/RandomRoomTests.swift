import Testing

@testable import SupervisedPush

/// Seeded random lives of a room: whatever happens, each push ends once, order holds, bounds hold, and no push waits beside a
/// connection that could take it.
@Suite("parity: E21, F4, F15, G4 – no life of a room breaks its promises", .serialized) struct RandomRoomTests {
    @Test(arguments: 0..<40) func eachPushEndsOnceInOrderAndWithinTheBounds(seed: Int) async {
        var life = RandomRoomLife(seed: UInt64(seed))
        for step in 0..<2_000 where life.problem == nil {
            life.step()
            if step.isMultiple(of: 50) { await Task.yield() }  // Others wait for this thread.
        }
        life.end()
        #expect(life.problem == nil)
    }
}

/// What must hold after each step, whatever the step was.
extension RandomRoomLife {
    mutating func check() {
        guard problem == nil else { return }
        checkPlaces()
        checkCounts()
        checkOrder()
        checkLines()
        checkCredential()
        checkWakes()
    }

    /// Each push that has not ended is in one place: the room's table, or the hands of one connection.
    private mutating func checkPlaces() {
        var found = 0
        for taker in takers {
            for (number, push) in taker.has {
                found += 1
                if alive[number]?.record !== push.record { return fail("\(number) is held and has ended") }
                guard case .held(taker.id) = push.record.standing else {
                    return fail("\(number) does not stand as held")
                }
            }
        }
        if room.held != found { return fail("the room says that \(room.held) are held, and \(found) are") }
        for slot in room.table.slots {
            guard let push = room.table[slot] else { continue }
            found += 1
            let number = push.record.id.number
            if alive[number]?.record !== push.record { return fail("\(number) waits and has ended") }
            guard case .waiting(slot) = push.record.standing else { return fail("\(number) does not stand as waiting") }
            if push.holder >= 0, !takers.contains(where: { $0.id == push.holder && !$0.isLeaving }) {
                return fail("\(number) waits for a connection that takes nothing")
            }
        }
        if found != alive.count { fail("\(alive.count) pushes are on their way, and \(found) were found") }
    }

    /// What the room counts is what stands in its table.
    private mutating func checkCounts() {
        let pushes = room.table.slots.compactMap { room.table[$0] }
        let counted = pushes.filter { $0.admission == .counted }
        if room.waiting != counted.count { return fail("waiting \(room.waiting), not \(counted.count)") }
        if room.waitingBytes != counted.reduce(0, { $0 + $1.record.size }) { return fail("waitingBytes") }
        if room.parked.count != pushes.count(where: { $0.admission == .parked }) { return fail("parked") }
        if room.droppable.count != counted.count(where: { !$0.record.wasParked }) { return fail("droppable") }
        let held = takers.reduce(0) { $0 + $1.has.count }
        if room.held != held { return fail("held \(room.held), not \(held)") }
        if room.undelivered != undelivered.count || room.undeliveredBytes != undelivered.reduce(0, +) {
            return fail("undelivered \(room.undelivered), not \(undelivered.count)")
        }
        let again = pushes.filter { $0.admission == .free }
        if room.retryingBytes != again.reduce(0, { $0 + $1.record.size }) { return fail("retryingBytes") }
        let load = ConnectionLoad(
            inFlight: held, waiting: counted.count + undelivered.count, retrying: again.count, limit: maxWaiting)
        if room.load != load { return fail("load") }
        let deferred = pushes.count { [.paused, .refused, .line].contains($0.place) }
        let refusedAgain = pushes.count(where: \.history.isRefusedAgain)
        if room.refusedAgain != refusedAgain { return fail("refusedAgain \(room.refusedAgain), not \(refusedAgain)") }
        if room.deferredCount != deferred { return fail("deferredCount \(room.deferredCount), not \(deferred)") }
        let bound = room.holders.ids.reduce(0) { $0 + (room.holders[$1]?.bound.count ?? 0) }
        if room.ready.count + room.suspects.count + bound + deferred != pushes.count {
            return fail("lists and table differ")
        }
        if room.allowance.bytes < room.bytes { return fail("more bytes wait than the budget gave") }
    }

    /// Lists are in call order, and hold what belongs there.
    private mutating func checkOrder() {
        checkList(room.ready, room.places, "ready") { $0.place == .ready && !$0.record.policy.isSuspect }
        checkList(room.suspects, room.places, "suspects") { $0.place == .ready && $0.record.policy.isSuspect }
        checkList(room.droppable, room.admissions, "droppable") { $0.admission == .counted && !$0.record.wasParked }
        checkList(room.parked, room.admissions, "parked") { $0.admission == .parked && $0.record.wasParked }
        for taker in takers {
            guard let holder = room.holders[taker.id] else { return fail("a connection is unknown") }
            checkList(holder.bound, room.places, "bound") { $0.place == .bound && $0.holder == taker.id }
            if taker.isLeaving, !holder.bound.isEmpty { fail("pushes wait for a connection that leaves") }
        }
    }

    private mutating func checkList(
        _ list: SlotList, _ links: SlotLinks, _ name: String, _ belongs: (WaitingPush) -> Bool
    ) {
        var (slot, last, count) = (list.first, UInt64(0), 0)
        while slot >= 0, count <= list.count {
            guard let push = room.table[slot], belongs(push) else { return fail("a stranger in \(name)") }
            if push.record.callNumber <= last { return fail("\(name) is not in call order") }
            last = push.record.callNumber
            count += 1
            slot = links.next(after: slot)
        }
        if count != list.count { fail("\(name) holds \(count), not \(list.count)") }
    }

    /// One push has the turn of each device in whose line pushes stand; of those that ask for order, no other is on its way.
    private mutating func checkLines() {
        var turns: [Recipient: Int] = [:]
        var ahead: [Recipient: Int] = [:]
        var behind: [Recipient: UInt64] = [:]
        let pushes = room.table.slots.compactMap { room.table[$0] } + takers.flatMap { $0.has.values }
        for push in pushes {
            guard let device = alive[push.record.id.number]?.device else { continue }
            if push.hasTurn { turns[device, default: 0] += 1 }
            if case .held = push.record.standing {
            } else if push.place == .line {
                behind[device] = max(behind[device] ?? 0, push.record.callNumber)
                continue
            }
            if push.record.policy.ordered == .perDevice { ahead[device, default: 0] += 1 }
        }
        if ahead.values.contains(where: { $0 > 1 }) { return fail("two pushes of one device go at a time") }
        if turns.values.contains(where: { $0 != 1 }) || turns.count != room.deviceQueues.count {
            return fail("turns and lines differ")
        }
        if behind.keys.contains(where: { turns[$0] == nil }) { fail("pushes stand in a line where none has the turn") }
    }

    /// While the credential is refused nothing waits but the push that tries it, and one does.
    private mutating func checkCredential() {
        guard room.health.refusal != nil else { return }
        let probes = takers.reduce(0) { $0 + $1.has.values.count(where: \.isProbe) }
        let waiting = room.table.slots.compactMap { room.table[$0] }
        if !waiting.allSatisfy(\.isProbe) { return fail("pushes wait although the credential is refused") }
        if probes + waiting.count > (room.health.isProbing ? 1 : 0) {
            fail("\(probes + waiting.count) try the credential")
        }
    }

    /// No push waits that a connection could take which was not told to look.
    private mutating func checkWakes() {
        for taker in takers where !taker.isPending && taker.canTakeMore(now) && hasWindows(taker) {
            if room.holders[taker.id]?.bound.isEmpty == false {
                return fail("\(taker.id) was not told of what it alone may take")
            }
        }
        guard !room.ready.isEmpty || !room.suspects.isEmpty, !takers.contains(where: \.isPending) else { return }
        // Suspect pushes wait for a throttled link while one is up.
        let sparesOthers =
            room.ready.isEmpty
            && takers.contains { $0.said.isUp && $0.said.isThrottled && !$0.said.isAsking && !$0.isLeaving }
        let mayTake = { (taker: RandomTaker) in !sparesOthers || taker.said.isThrottled }
        if let idle = takers.first(where: { $0.canTakeMore(now) && mayTake($0) && hasWindows($0) }) {
            let others = takers.map { "\($0.id): \($0.said), leaves: \($0.isLeaving)" }
            return fail("pushes wait, and \(idle.id) has room and was not told; at \(now): \(others)")
        }
        checkShortness()
        let asks = takers.contains { $0.isUp && $0.isAsking }
        if !asks,
            takers.contains(where: {
                !$0.isLeaving && $0.said.isUp && $0.said.free > 0 && mayTake($0) && !$0.said.isShort
            })
        {
            fail("pushes wait, and none is asked whether its link lives")
        }
    }
    /// Whether its windows take whatever may be the next push for it.
    private func hasWindows(_ taker: RandomTaker) -> Bool {
        let bound = room.holders[taker.id]?.bound.first ?? -1
        return [bound, room.ready.first, room.suspects.first].allSatisfy { slot in
            room.table[slot].map { taker.said.bodies.takes($0.record.size) } ?? true
        }
    }

    /// One whose windows do not take the next push knows it, so that it can measure for how long.
    private mutating func checkShortness() {
        guard room.suspects.isEmpty, !takers.contains(where: \.said.isThrottled) else { return }
        if let taker = takers.first(where: { $0.canTakeMore(now) && !$0.said.isShort }) {
            fail("\(taker.id) does not know that its windows are too small: \(taker.said)")
        }
    }
}
