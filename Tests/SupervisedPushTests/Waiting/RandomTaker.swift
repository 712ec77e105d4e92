import ProcessRuntime
import PushHTTP2

@testable import SupervisedPush

/// A connection of a random life, as far as the room sees it.
struct RandomTaker {
    let id: WaitingRoom.HolderID
    /// What it has written.
    var has: [UInt64: WaitingPush] = [:]
    /// Streams that its link allows, and how many of them late pushes hold.
    var limit: Int
    var late = 0
    /// How many late streams it may reset now.
    var resets = 0
    var isThrottled = false
    var isUp = true
    var isAsking = false
    var isLeaving = false
    var quietAt: MonotonicInstant
    /// What its link's peer takes.
    var window = SendWindow()
    /// The room told it to look; a new one looks by itself.
    var isTold = false
    /// It is about to drain for a reason of its own.
    var drains = true
    /// What it said last, less what it took since.
    var said = RoomHolders.Readiness()
    /// What it wrote since the last exchange.
    var opened: [(record: PushRecord, streamID: PushStreamID)] = []

    init(_ id: WaitingRoom.HolderID, limit: Int, quietAt: MonotonicInstant) {
        self.id = id
        self.limit = limit
        self.quietAt = quietAt
    }

    var isPending: Bool { isTold || drains }

    var readiness: RoomHolders.Readiness {
        guard isUp else { return RoomHolders.Readiness() }
        var readiness = RoomHolders.Readiness(isThrottled: isThrottled, isUp: true, isAsking: isAsking)
        guard !isAsking else { return readiness }
        readiness.quietAt = quietAt
        readiness.free = max(0, limit - has.count - late)
        readiness.bodies = BodyRoom(window, isIdle: isIdle)
        if readiness.free == 0, late > 0 {
            readiness.mayMakeRoom = true
            readiness.resettable = min(late, resets)
        }
        return readiness
    }

    /// No stream is open.
    var isIdle: Bool { has.isEmpty && late == 0 }

    /// Whether it said that it can take a push at this moment.
    func canTakeMore(_ now: MonotonicInstant) -> Bool {
        !isLeaving && said.isUp && said.quietAt > now && (said.free > 0 || said.resettable > 0)
    }

    /// It writes a push.
    mutating func begin(_ bytes: Int) {
        if !BodyRoom(window, isIdle: isIdle).takesWhole(bytes) { window.isBlocked = true }
        window.connection -= bytes
        window.isClear = false
    }

    mutating func goesUp() {
        isUp = true
        isAsking = false
        drains = true
    }
}

/// Connections come and go, take pushes, and bring them to an end.
extension RandomRoomLife {
    mutating func join() {
        var taker = RandomTaker(
            room.holders.join(), limit: happens(10) ? 100 : number(0...10), quietAt: now.advanced(by: .seconds(5)))
        if room.health.refusal != nil { taker.isUp = false }
        if happens(50) { taker.window = randomWindow() }
        takers.append(taker)
    }

    mutating func anyTaker() -> Int? { takers.isEmpty ? nil : number(0...(takers.count - 1)) }

    /// One that was told to looks.
    mutating func look() {
        guard let index = takers.indices.filter({ takers[$0].isPending }).randomElement(using: &random) else { return }
        if takers[index].isTold, takers[index].isUp, takers[index].quietAt <= now, !takers[index].isLeaving {
            takers[index].isAsking = true
        }
        settleExchanges(index, RoomChanges())
    }

    mutating func changeLink() {
        guard let index = anyTaker() else { return }
        switch number(0...7) {
        case 0:
            let limit = number(0...12)
            takers[index].limit = limit
        case 1: takers[index].isThrottled.toggle()
        case 2:
            let resets = number(0...5)
            takers[index].resets = resets
        case 3: if room.health.refusal == nil { takers[index].isUp = !takers[index].isUp }
        case 4: takers[index].late = 0
        case 5, 6: takers[index].window = randomWindow()
        default:
            takers[index].isAsking = false
            takers[index].quietAt = now.advanced(by: .seconds(3))
        }
        var changes = RoomChanges()
        changes.hasSettings = happens(30)
        settleExchanges(index, changes)
    }

    /// A window of some size; now and then a body waits for it.
    private mutating func randomWindow() -> SendWindow {
        guard happens(70) else { return SendWindow() }
        let isClear = happens(50)
        return SendWindow(
            connection: [0, 1, 100, 400, 65_535][number(0...4)], stream: [0, 50, 100, 65_535, 65_535][number(0...4)],
            isBlocked: !isClear && happens(50), isClear: isClear)
    }

    /// The bodies that have begun leave, and the peer gives back what it read.
    private mutating func flush(_ index: Int) {
        takers[index].window.isClear = true
        takers[index].window.isBlocked = false
        let connection = max(takers[index].window.connection, [0, 100, 65_535][number(0...2)])
        takers[index].window.connection = connection
    }

    mutating func changeTakers() {
        let most = 4
        switch number(0...9) {
        case 0..<4: if takers.count < most { join() }
        case 4..<6:
            guard let index = anyTaker(), !takers[index].isLeaving, takers.count > 1 else { return }
            takers[index].isLeaving = true
            let id = takers[index].id
            change { room in room.beginLeaving(id) }
            settleExchanges(index, RoomChanges())
        case 6..<9: if let index = anyTaker(), takers.count > 1 || happens(50) { leave(index) }
        default:
            let members = max(1, takers.count)
            change { room in room.members = members }
        }
        if takers.isEmpty, happens(30) { join() }
    }

    /// Some pushes of a connection come to an end, or back; then it exchanges.
    mutating func drain(_ index: Int) {
        var changes = RoomChanges()
        let numbers = takers[index].has.keys.sorted()
        for number in numbers where happens(40) { settle(number, of: index, &changes) }
        if happens(10) { changes.hasSettings = true }
        if happens(60) { flush(index) }
        settleExchanges(index, changes)
    }

    /// Everything that it has ends.
    mutating func finish(_ index: Int) {
        var changes = RoomChanges()
        for number in takers[index].has.keys.sorted() { end(number, of: index, &changes) }
        settleExchanges(index, changes)
    }

    /// A connection is gone: what it had ends or comes back.
    private mutating func leave(_ index: Int) {
        var changes = takeOpened(index)
        for number in takers[index].has.keys.sorted() { settle(number, of: index, &changes, mustSettle: true) }
        let taker = takers.remove(at: index)
        if !taker.has.isEmpty { fail("the model kept a push") }
        change { room in room.leave(taker.id, changes: &changes) }
    }

    private mutating func takeOpened(_ index: Int) -> RoomChanges {
        var changes = RoomChanges()
        swap(&changes.opened, &takers[index].opened)
        return changes
    }

    // MARK: How a push that is written goes on

    private mutating func settle(
        _ number: UInt64, of index: Int, _ changes: inout RoomChanges, mustSettle: Bool = false
    ) {
        guard var push = takers[index].has[number] else { return }
        if push.isProbe { return settleProbe(number, of: index, &changes) }
        let policy = push.record.policy
        guard push.history.attempts < 20 else { return end(number, of: index, &changes) }
        switch self.number(0...9) {
        case 0, 1:
            push.history.worst = .unprocessed
            giveBack(push, .unanswered(isRefusal: happens(70)), of: index, &changes)
        case 2: giveBack(push, .needsFreshLink, of: index, &changes)
        case 3, 4:
            guard policy.retries > 0, push.record.answered?.retries ?? 0 < policy.retries else {
                return end(number, of: index, &changes)
            }
            let response = PushResponse(status: [429, 500, 503][self.number(0...2)])
            let start = happens(30) ? now.advanced(by: .milliseconds(self.number(0...2_000))) : nil
            changes.answers.append(RetryAnswer(response, to: push.record, from: start))
            giveBack(push, .answered(response, from: start), of: index, &changes)
        default: end(number, of: index, &changes)
        }
    }

    private mutating func giveBack(
        _ push: WaitingPush, _ cause: ReturnedPush.Cause, of index: Int, _ changes: inout RoomChanges
    ) {
        takers[index].has[push.record.id.number] = nil
        changes.returned.append(
            ReturnedPush(
                record: push.record, history: push.history, cause: cause, hasTurn: push.hasTurn, isProbe: push.isProbe))
    }

    private mutating func end(_ number: UInt64, of index: Int, _ changes: inout RoomChanges) {
        guard let push = takers[index].has.removeValue(forKey: number) else { return }
        changes.ended += 1
        if push.hasTurn { changes.turnsEnded.append(push.record.recipient) }
        // An outcome that is unknown: its stream stays open for a late answer.
        if happens(15) {
            takers[index].late += 1
        } else {
            changes.accepted += 1
            changes.settledStreams += 1
        }
        if push.record.outcome.isDelivered {
            changes.undelivered += 1
            changes.undeliveredBytes += push.record.size
            undelivered.append(push.record.size)
        }
        ended(push.record, inRoom: false)
    }

    // MARK: The exchange

    /// Exchanges until nothing is new, as a process does at the end of a drain.
    mutating func settleExchanges(_ index: Int, _ changes: RoomChanges) {
        let id = takers[index].id
        var changes = changes
        for _ in 0..<100 {
            guard let index = takers.firstIndex(where: { $0.id == id }) else { return }
            let opened = takeOpened(index)
            changes.opened = opened.opened
            let supply = exchange(index, &changes)
            changes = RoomChanges()
            guard let index = takers.firstIndex(where: { $0.id == id }) else { return }
            write(supply.pushes, of: index, &changes)
            if changes.isEmpty && takers[index].opened.isEmpty { return }
        }
    }

    @discardableResult
    mutating func exchange(_ index: Int) -> RoomSupply {
        var changes = takeOpened(index)
        return exchange(index, &changes)
    }

    private mutating func exchange(_ index: Int, _ changes: inout RoomChanges) -> RoomSupply {
        let (id, readiness, isIdle) = (takers[index].id, takers[index].readiness, takers[index].isIdle)
        takers[index].isTold = false
        takers[index].drains = false
        // What is taken counts as held from here on, also while effects are followed.
        room.begin(now)
        let supply = room.exchange(id, changes: &changes, readiness: readiness)
        checkThatNoneIsOvertaken(by: supply)
        let effects = room.finish()
        for push in supply.pushes { takers[index].has[push.record.id.number] = push }
        takers[index].said = readiness
        takers[index].said.free = max(0, readiness.free - supply.pushes.count)
        takers[index].said.resettable = max(0, readiness.resettable - supply.pushes.count)
        takers[index].said.isShort = supply.isShort
        for push in supply.pushes { takers[index].said.bodies.take(push.record.size) }
        follow(effects)
        checkBodies(supply, takers[index].window, isIdle: isIdle)
        checkTaken(supply, by: index, readiness)
        return supply
    }

    /// A connection gets what it may take, and no more than it has room for.
    private mutating func checkTaken(_ supply: RoomSupply, by index: Int, _ readiness: RoomHolders.Readiness) {
        let taker = takers[index]
        let room = readiness.free > 0 ? readiness.free : readiness.resettable
        if supply.pushes.count > (readiness.isUp && readiness.quietAt > now ? room : 0) {
            fail("it got more than it has room for")
        }
        if taker.isLeaving, !supply.pushes.isEmpty { fail("one that leaves got pushes") }
        let isOver = self.room.closesAt.map { $0 <= now } ?? false
        if supply.isDone, !taker.isLeaving, !isOver, !self.room.isClosed || !alive.isEmpty {
            fail("it was told of an end that is none")
        }
        var last = UInt64(0)
        for push in supply.pushes {
            let record = push.record
            if alive[record.id.number] == nil { return fail("\(record.id.number) came back") }
            if record.callNumber <= last { fail("pushes were given out of call order") }
            last = record.callNumber
            if push.holder >= 0, push.holder != taker.id { fail("\(record.id.number) was for another connection") }
            if record.times.whileWaiting.instant <= now { fail("\(record.id.number) was given out after its time") }
            guard record.policy.ordered == .perDevice else { continue }
            if !push.hasTurn { fail("\(record.id.number) has not its turn") }
            let isEarlier = { (other: Known) in
                other.record.policy.ordered == .perDevice && other.device == record.recipient
                    && other.record.callNumber < record.callNumber
            }
            if alive.values.contains(where: isEarlier) { fail("\(record.id.number) overtook another to its device") }
        }
    }

    /// It gets what its windows take whole, or one push alone.
    private mutating func checkBodies(_ supply: RoomSupply, _ window: SendWindow, isIdle: Bool) {
        var left = window.isBlocked ? -1 : window.connection
        for (place, push) in supply.pushes.enumerated() {
            let bytes = push.record.size
            let isWhole = bytes <= left && bytes <= window.stream
            let isAlone = place == 0 && window.isClear && window.connection > 0 && (isIdle || bytes <= left)
            if !isWhole && !isAlone { return fail("\(bytes) bytes were given to \(window)") }
            left = isWhole ? left - bytes : -1
        }
    }

    /// What is given out was called before what still waits.
    private mutating func checkThatNoneIsOvertaken(by supply: RoomSupply) {
        for push in supply.pushes where push.holder < 0 {
            let first = push.record.policy.isSuspect ? room.suspects.first : room.ready.first
            guard let waiting = room.table[first]?.record, waiting.callNumber < push.record.callNumber else { continue }
            return fail("\(push.record.id.number) overtook \(waiting.id.number)")
        }
    }

    /// Writes what it got; now and then its link takes no more, and the rest goes back as it was.
    private mutating func write(_ pushes: [WaitingPush], of index: Int, _ changes: inout RoomChanges) {
        var isFull = false
        for var push in pushes {
            if !isFull, happens(5) { isFull = true }
            guard !isFull else {
                giveBack(push, .untouched(push), of: index, &changes)
                continue
            }
            if takers[index].has.count + takers[index].late > takers[index].limit {
                takers[index].late = max(0, takers[index].late - 1)
            }
            push.history.attempts += 1
            takers[index].has[push.record.id.number] = nil
            takers[index].begin(push.record.size)
            takers[index].has[push.record.id.number] = push
            let stream = PushStreamID(process: ProcessID(1), generation: 1, stream: 1)
            takers[index].opened.append((push.record, stream))
        }
    }

    // MARK: The credential

    private var refused: PushResponse { MachineHarness.response(403, .invalidProviderToken) }

    mutating func refuseCredential() {
        for _ in 0..<3 where !takers.isEmpty {
            let response = refused
            change { room in
                _ = room.judge(response, isProbe: false, isReplaced: false)
            }
        }
    }

    /// The push that tries the credential ends: it proves something, or nothing.
    private mutating func settleProbe(_ number: UInt64, of index: Int, _ changes: inout RoomChanges) {
        guard let push = takers[index].has[number] else { return }
        let id = takers[index].id
        switch self.number(0...5) {
        case 0, 1:
            change { room in
                _ = room.judge(PushResponse(status: 200), isProbe: true, isReplaced: false)
            }
        case 2:
            let response = refused
            change { room in
                _ = room.judge(response, isProbe: true, isReplaced: false)
            }
        case 3: return giveBack(push, .unanswered(isRefusal: false), of: index, &changes)
        case 4: return giveBack(push, .answered(PushResponse(status: 503), from: nil), of: index, &changes)
        default:
            change { room in room.probeEnded(by: id) }
            takers[index].isUp = false
        }
        end(number, of: index, &changes)
    }
}
