import ProcessRuntime
import PushLocking

@testable import SupervisedPush

/// One random life of a room, with a small model of the world beside it: callers, connections that come, go and fail, and a second room
/// that draws on the same budget.
struct RandomRoomLife {
    /// A push that has not ended.
    struct Known {
        let record: PushRecord
        let device: Recipient
        let isDelivered: Bool
    }

    var room: WaitingRoom
    var random: SeededGenerator
    var now = MonotonicInstant(nanoseconds: 0)
    var alive: [UInt64: Known] = [:]
    var takers: [RandomTaker] = []
    /// The sizes of those whose completion has not returned.
    var undelivered: [Int] = []
    /// The first promise that was broken.
    private(set) var problem: String?

    private let budget = ByteBudget(limit: 1 << 20)
    /// What others of the budget hold all the time.
    private let taken: Int
    private var other: WaitingRoom
    private var others: [PushRecord] = []
    private let calls = [Locked(false), Locked(false)]
    /// One who waited for idleness was called.
    private let isIdle = Locked(false)
    private var pushed: UInt64 = 0
    private var latest: [PushRecord] = []
    private var steps = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        var settings = RoomSettings()
        settings.maxWaiting = 15
        settings.maxWaitingBytes = 15 * MachineSamples.push.notification.payload.count
        settings.maxParked = 5
        room = WaitingRoom(settings, budget: budget, seed: seed)
        other = WaitingRoom(RoomSettings(), budget: budget, seed: seed)
        taken = budget.reserve(budget.free - 3_000)
        room.allowance.onBudget = { [called = calls[0]] in called.withLock { $0 = true } }
        other.allowance.onBudget = { [called = calls[1]] in called.withLock { $0 = true } }
        _ = other.holders.join()
        for _ in 0..<(1 + Int(seed) % 4) { join() }
    }

    mutating func fail(_ text: String) { if problem == nil { problem = "step \(steps): \(text)" } }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func happens(_ percent: Int) -> Bool { number(0...99) < percent }

    mutating func step() {
        steps += 1
        switch number(0...99) {
        case 0..<28: offer()
        case 28..<56: if let index = anyTaker() { drain(index) }
        case 56..<68: look()
        case 68..<76: pass(.milliseconds(number(1...1_500)))
        case 76..<82: changeLink()
        case 82..<86: cancel()
        case 86..<90: deliver(number(1...6))
        case 90..<94: changeTakers()
        case 94..<95: if happens(30) { refuseCredential() }
        case 95..<96: watchForIdleness()
        case 96..<99: useOther()
        default: if happens(2) { close(in: .seconds(number(0...3))) }
        }
        check()
    }

    /// Closes, and counts: everything ended once, and the budget has its bytes back.
    mutating func end() {
        guard problem == nil else { return }
        close(in: .seconds(1))
        pass(.seconds(2))
        check()
        for index in takers.indices { finish(index) }
        check()
        if !alive.isEmpty || room.table.count > 0 { return fail("\(alive.count) pushes never ended") }
        for index in takers.indices where !exchange(index).isDone {
            fail("a connection is not told that nothing follows")
        }
        if !room.deviceQueues.isEmpty || room.deferredCount != 0 { fail("lines or pauses are left") }
        deliver(undelivered.count)
        while !others.isEmpty { endOther() }
        if room.allowance.bytes + other.allowance.bytes != 0 { fail("bytes are kept") }
        budget.giveBack(taken)
        if budget.free != budget.limit { fail("the budget lost \(budget.limit - budget.free) bytes") }
    }

    // MARK: What the room says

    /// Changes the room, and does what follows from it.
    mutating func change(_ body: (inout WaitingRoom) -> Void) {
        room.begin(now)
        body(&room)
        let effects = room.finish()
        follow(effects)
    }

    mutating func follow(_ effects: RoomEffects) {
        for ending in effects.endings { ended(ending.trace.record, inRoom: true) }
        for id in [effects.woken] + effects.furtherWoken where id != WaitingRoom.nobody {
            guard let index = takers.firstIndex(where: { $0.id == id }) else {
                fail("one was told to look that is gone")
                continue
            }
            if takers[index].isTold { fail("\(id) was told twice") }
            takers[index].isTold = true
        }
        if let id = effects.probes { modify(id) { $0.goesUp() } }
        if let id = effects.probeOver {
            modify(id) {
                $0.isUp = false; $0.drains = true
            }
        }
        switch effects.news {
        case .refused: for index in takers.indices { takers[index].isUp = false; takers[index].drains = true }
        case .works: for index in takers.indices { takers[index].goesUp() }
        default: break
        }
        for call in effects.calls { call() }
        if isIdle.withLock({
            let was = $0; $0 = false; return was
        }), !alive.isEmpty || !undelivered.isEmpty {
            fail("the name was called idle")
        }
        if effects.surplus > 0 { budget.giveBack(effects.surplus) }
        budgetCalls()
    }

    /// Who waited for bytes of the budget has them, or asks again.
    private mutating func budgetCalls() {
        if calls[0].withLock({
            let was = $0; $0 = false; return was
        }) {
            change { room in room.allowance.waitsForBudget = false }
        }
        if calls[1].withLock({
            let was = $0; $0 = false; return was
        }) {
            changeOther { room in room.allowance.waitsForBudget = false }
        }
    }

    private mutating func modify(_ id: WaitingRoom.HolderID, _ body: (inout RandomTaker) -> Void) {
        if let index = takers.firstIndex(where: { $0.id == id }) { body(&takers[index]) }
    }

    /// A push has its outcome.
    mutating func ended(_ record: PushRecord, inRoom: Bool) {
        guard let push = alive.removeValue(forKey: record.id.number) else {
            return fail("\(record.id.number) ended twice")
        }
        if inRoom {
            guard case .ended = record.standing else { return fail("\(record.id.number) ended and does not stand so") }
            if push.isDelivered { undelivered.append(record.size) }
        }
    }

    // MARK: Callers

    var maxWaiting: Int { room.settings.maxWaiting * room.members }

    private mutating func offer() {
        latest = []
        for _ in 0..<number(1...8) {
            let record = makeRecord()
            latest.append(record)
            if happens(2) {
                change { room in _ = room.cancel(record) }
                var refusal: WaitingRoom.Refusal?
                change { room in
                    refusal = room.offer(record, outcome: .nobody, whenFull: .wait)
                }
                if refusal != .withdrawn { fail("a push was let in that was withdrawn before") }
                continue
            }
            offer(record)
            check()
        }
        if happens(30) { offerTogether() }
    }

    /// Several pushes under one lock.
    private mutating func offerTogether() {
        let batch = (0..<number(0...20)).map { _ in OfferedPush(record: makeRecord(), outcome: .nobody) }
        for push in batch {
            latest.append(push.record)
            alive[push.record.id.number] = Known(record: push.record, device: push.record.recipient, isDelivered: false)
        }
        let isClosed = room.isClosed
        var refused: [(place: Int, refusal: WaitingRoom.Refusal)] = []
        change { room in refused = room.offer(batch, whenFull: .wait) }
        for (place, _) in refused { alive[batch[place].record.id.number] = nil }
        if isClosed, refused.count < batch.count { fail("a closed room let a push in") }
        check()
    }

    private mutating func offer(_ record: PushRecord) {
        let outcome: OutcomeReceiver =
            switch number(0...5) {
            case 0: .completion { _ in }
            case 1: .thread(BlockedCaller())
            case 2: .collector(Collector(), ticket: 0)
            default: .nobody
            }
        let whenFull = [WhenFull.wait, .wait, .reject, .dropOldest][number(0...3)]
        let holder = happens(15) ? takers.randomElement(using: &random)?.id ?? -1 : -1
        let before = (
            room.waiting, room.queued, room.waitingBytes + room.undeliveredBytes, room.isClosed, room.parked.count
        )
        let number = record.id.number
        var refusal: WaitingRoom.Refusal?
        // It may be dropped again while it is let in, but not before.
        alive[number] = Known(record: record, device: record.recipient, isDelivered: outcome.isDelivered)
        change { room in
            refusal = room.offer(record, outcome: outcome, whenFull: whenFull, to: holder)
        }
        if refusal != nil { alive[number] = nil }
        let isFull = before.1 >= maxWaiting || before.2 + record.size > room.settings.maxWaitingBytes * room.members
        switch refusal {
        case nil:
            if before.3 { fail("a closed room let a push in") }
            if room.waiting > before.0, whenFull != .dropOldest, isFull || before.4 > 0 { fail("a bound was exceeded") }
            if room.waiting > max(before.0, maxWaiting) { fail("more wait than before, and more than may") }
            if room.parked.count > before.4, whenFull != .wait || !outcome.mayWaitForRoom {
                fail("one parked that cannot wait")
            }
            if room.parked.count > max(before.4, room.settings.maxParked), !outcome.hasOwnBound {
                fail("too many are parked")
            }
        case .full: if !isFull, before.4 == 0, budget.free > 1_000 { fail("a push was refused that fits") }
        case .closed: if !before.3 { fail("an open room said it was closed") }
        case .credential: if room.health.refusal == nil { fail("a credential was refused that is not") }
        case .withdrawn: fail("a push was called withdrawn that was not")
        }
    }

    private final class Collector: OutcomeCollector {
        func collect(_ settled: [SettledPush]) {}
        func collect(late: [LatePush]) {}
    }

    /// Notifications with bodies of several sizes.
    private static let notifications = [1, 60, 300].map {
        PushNotification.alert(title: "", body: String(repeating: "x", count: $0))
    }

    private mutating func makeRecord() -> PushRecord {
        pushed += 1
        let retry = StatusRetryPolicy(
            retries: number(1...3), firstDelay: .milliseconds(200), longestDelay: .seconds(1))
        let own = PushPolicy(
            resend: happens(30) ? .resendUnknown : .unprocessed, ordered: happens(35) ? .perDevice : .byCall,
            statusRetry: happens(40) ? retry : .never)
        let policy = PushPolicy(own, options: PushOptions(mark: happens(20) ? .suspect : .ordinary))
        let timeout = Duration.milliseconds(number(0...9_000))
        let times = PushTimes(
            timeout: timeout, timeoutFromCall: happens(70) ? now.advanced(by: timeout) : nil, deadline: nil,
            expiration: nil)
        let usual = MachineSamples.push(to: number(0...11))
        let push = Push(happens(60) ? usual.notification : Self.notifications[number(0...2)], to: usual.deviceToken)
        return PushRecord(
            id: PushID(number: pushed), push: push,
            head: RequestHead(MachineSamples.head.template, to: push.deviceToken, apnsID: nil), times: times,
            policy: policy)
    }

    private mutating func cancel() {
        let some = happens(50) ? latest : alive.values.map(\.record).sorted { $0.id < $1.id }
        guard let record = some.randomElement(using: &random) else { return }
        let isAlive = alive[record.id.number] != nil
        // Who has it is told once.
        let isFirst = !record.isCancelled
        var holder: WaitingRoom.HolderID?
        change { room in holder = room.cancel(record) }
        let holds = takers.first { $0.has[record.id.number] != nil }?.id
        if isAlive, holder != (isFirst ? holds : nil) { fail("who has a cancelled push is not told") }
        if isAlive, holds == nil, alive[record.id.number] != nil { fail("a cancelled push still waits") }
    }

    private mutating func watchForIdleness() {
        change { [isIdle] room in
            room.watchers.idle.append((room.watchers.newID(), { isIdle.withLock { $0 = true } }))
        }
    }

    private mutating func deliver(_ count: Int) {
        let returned = Array(undelivered.prefix(count))
        undelivered.removeFirst(returned.count)
        change { room in room.delivered(returned.count, bytes: returned.reduce(0, +)) }
    }

    private mutating func close(in time: Duration) {
        change { room in room.close(room.now.advanced(by: time)) }
    }

    /// Time passes; whatever is due happens.
    private mutating func pass(_ time: Duration) {
        now = now.advanced(by: time)
        var ticks = 0
        repeat {
            change { room in room.tick() }
            ticks += 1
        } while ticks < 20 && (room.nextWake.map { $0 <= now } ?? false)
        if ticks == 20 { fail("the room wants to be looked at again and again") }
        for slot in room.table.slots {
            guard let push = room.table[slot] else { continue }
            if push.record.times.whileWaiting.instant <= now { return fail("a push outlived its time") }
            if push.limit.instant <= now { return fail("a pause outlived its time") }
        }
        if let closesAt = room.closesAt, closesAt <= now, room.table.count > 0 {
            fail("pushes outlived the closing deadline")
        }
    }

    // MARK: The second room

    private mutating func changeOther(_ body: (inout WaitingRoom) -> Void) {
        other.begin(now)
        body(&other)
        let effects = other.finish()
        if effects.surplus > 0 { budget.giveBack(effects.surplus) }
        budgetCalls()
    }

    private mutating func useOther() {
        guard happens(60) || others.isEmpty else { return endOther() }
        for _ in 0..<number(1...20) {
            let record = makeRecord()
            let outcome: OutcomeReceiver = happens(50) ? .nobody : .thread(BlockedCaller())
            changeOther { room in
                _ = room.offer(record, outcome: outcome, whenFull: .wait)
            }
            if case .waiting = record.standing { others.append(record) }
        }
    }

    private mutating func endOther() {
        let count = min(others.count, number(1...20))
        for record in others.prefix(count) {
            changeOther { room in _ = room.cancel(record) }
        }
        others.removeFirst(count)
    }
}
