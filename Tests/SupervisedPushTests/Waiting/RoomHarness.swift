import ProcessRuntime

@testable import SupervisedPush

/// A room and the connections that pull from it; reads what the room decides as short lines, so that tests can equal whole lists.
struct RoomHarness {
    var room: WaitingRoom
    let budget: ByteBudget
    var now = MonotonicInstant(nanoseconds: 0)
    /// What connections took, by the pushes' numbers.
    private(set) var held: [UInt64: WaitingPush] = [:]

    init(_ settings: RoomSettings = RoomSettings(), _ budget: ByteBudget = ByteBudget(limit: .max)) {
        self.budget = budget
        room = WaitingRoom(settings, budget: budget, seed: 1)
    }

    /// A room whose connections have looked, each with this many streams free.
    static func with(free: [Int], _ settings: RoomSettings = RoomSettings()) -> RoomHarness {
        var harness = RoomHarness(settings)
        for free in free {
            _ = harness.exchange(harness.room.holders.join(), RoomHolders.Readiness(free: free, isUp: true))
        }
        return harness
    }

    /// Changes the room; says what follows.
    @discardableResult
    mutating func change(_ body: (inout WaitingRoom) -> Void) -> [String] {
        room.begin(now)
        body(&room)
        let effects = room.finish()
        budget.giveBack(effects.surplus)
        for call in effects.calls { call() }
        var lines = effects.endings.map { "end \($0.trace.record.id.number): \(MachineHarness.text($0.outcome(nil)))" }
        lines += ([effects.woken] + effects.furtherWoken).filter { $0 != WaitingRoom.nobody }.map { "look \($0)" }
        if let id = effects.probes { lines.append("probe by \(id)") }
        if let id = effects.probeOver { lines.append("probe of \(id) is over") }
        if let news = effects.news { lines.append(Self.text(news)) }
        return lines
    }

    private static func text(_ news: CredentialNews) -> String {
        switch news {
        case .refused(_, let pause?): "refused, next probe in \(pause.components.seconds) s"
        case .refused(_, nil): "refused"
        case .replaced: "replaced"
        case .works: "works"
        case .probe, .probeOver: "\(news)"
        }
    }

    // MARK: Callers

    func record(
        _ number: UInt64, _ policy: PushPolicy = PushPolicy(), device: Int = 0, timeout: Duration = .seconds(60),
        isSuspect: Bool = false
    ) -> PushRecord {
        let push = MachineSamples.push(to: device)
        return PushRecord(
            id: PushID(number: number), push: push,
            head: RequestHead(MachineSamples.head.template, to: push.deviceToken, apnsID: nil),
            times: PushTimes(
                timeout: timeout, timeoutFromCall: now.advanced(by: timeout), deadline: nil, expiration: nil),
            policy: isSuspect ? PushPolicy(policy, options: PushOptions(mark: .suspect)) : policy)
    }

    /// Pushes with these numbers are called.
    mutating func push(
        _ numbers: UInt64..., policy: PushPolicy = PushPolicy(), device: Int = 0, timeout: Duration = .seconds(60),
        to holder: WaitingRoom.HolderID = WaitingRoom.nobody, isSuspect: Bool = false
    ) -> [String] {
        numbers.flatMap {
            offer(record($0, policy, device: device, timeout: timeout, isSuspect: isSuspect), to: holder)
        }
    }

    /// A push is called; a refusal at the call stands in the lines.
    mutating func offer(
        _ record: PushRecord, _ outcome: OutcomeReceiver = .nobody, _ whenFull: WhenFull = .wait,
        to holder: WaitingRoom.HolderID = WaitingRoom.nobody
    ) -> [String] {
        var refusal: WaitingRoom.Refusal?
        let lines = change { room in
            refusal = room.offer(record, outcome: outcome, whenFull: whenFull, to: holder)
        }
        return lines + (refusal.map { ["\(record.id.number): \(Self.text($0))"] } ?? [])
    }

    /// Pushes are called together; refusals stand in the lines.
    mutating func offerTogether(
        _ records: [PushRecord], to holder: WaitingRoom.HolderID = WaitingRoom.nobody
    ) -> [String] {
        var refused: [(place: Int, refusal: WaitingRoom.Refusal)] = []
        let lines = change { room in
            let batch = records.map { OfferedPush(record: $0, outcome: .nobody) }
            refused = room.offer(batch, whenFull: .reject, to: holder)
        }
        return lines + refused.map { "\(records[$0.place].id.number): \(Self.text($0.refusal))" }
    }

    private static func text(_ refusal: WaitingRoom.Refusal) -> String {
        switch refusal {
        case .withdrawn: "withdrawn"
        case .closed: "closed"
        case .credential: "credential refused"
        case .full(let load, let isBudget): "full, \(load.waiting) of \(load.limit)\(isBudget ? ", the runtime" : "")"
        }
    }

    mutating func cancel(_ record: PushRecord) -> [String] {
        var holder: WaitingRoom.HolderID?
        let lines = change { room in holder = room.cancel(record) }
        return lines + (holder.map { ["tell \($0)"] } ?? [])
    }

    mutating func advance(by time: Duration) -> [String] {
        now = now.advanced(by: time)
        return change { room in room.tick() }
    }

    // MARK: Connections

    /// A connection says what changed and what it has room for; what it takes stands in front.
    @discardableResult
    mutating func exchange(
        _ id: WaitingRoom.HolderID, _ readiness: RoomHolders.Readiness, ended: [UInt64] = [],
        _ changes: RoomChanges = RoomChanges()
    ) -> [String] {
        var changes = changes
        end(ended, &changes)
        var supply = RoomSupply()
        let lines = change { room in
            supply = room.exchange(id, changes: &changes, readiness: readiness)
        }
        for push in supply.pushes { held[push.record.id.number] = push }
        let numbers = supply.pushes.map { "\($0.record.id.number)" }.joined(separator: " ")
        return (numbers.isEmpty ? [] : ["take \(numbers)"]) + lines + (supply.isDone ? ["done"] : [])
    }

    /// A connection with this many streams free looks.
    mutating func look(_ id: WaitingRoom.HolderID, free: Int, isThrottled: Bool = false) -> [String] {
        exchange(id, RoomHolders.Readiness(free: free, isThrottled: isThrottled, isUp: true))
    }

    /// Pushes that a connection took come back, and it has no room.
    mutating func giveBack(
        _ numbers: UInt64..., by id: WaitingRoom.HolderID = 0, as cause: ReturnedPush.Cause
    ) -> [String] {
        let changes = changes(returning: numbers, cause)
        return exchange(id, RoomHolders.Readiness(isUp: true), changes)
    }

    mutating func giveBackUntouched(
        _ numbers: UInt64..., by id: WaitingRoom.HolderID = 0
    ) -> [String] {
        var changes = RoomChanges()
        for number in numbers {
            if let push = held.removeValue(forKey: number) { changes.returned.append(ReturnedPush(untouched: push)) }
        }
        return exchange(id, RoomHolders.Readiness(isUp: true), changes)
    }

    mutating func changes(returning numbers: [UInt64], _ cause: ReturnedPush.Cause) -> RoomChanges {
        var changes = RoomChanges()
        for number in numbers {
            guard let push = held.removeValue(forKey: number) else { continue }
            var history = push.history
            history.attempts += 1
            changes.returned.append(
                ReturnedPush(
                    record: push.record, history: history, cause: cause, hasTurn: push.hasTurn, isProbe: push.isProbe))
        }
        return changes
    }

    private mutating func end(_ numbers: [UInt64], _ changes: inout RoomChanges) {
        for number in numbers {
            guard let push = held.removeValue(forKey: number) else { continue }
            changes.ended += 1
            if push.hasTurn { changes.turnsEnded.append(push.record.recipient) }
        }
    }

    /// A connection that ends hands over what changed.
    mutating func leave(_ id: WaitingRoom.HolderID, _ changes: RoomChanges = RoomChanges()) -> [String] {
        var changes = changes
        return change { room in room.leave(id, changes: &changes) }
    }

    mutating func beginLeaving(_ id: WaitingRoom.HolderID) -> [String] {
        change { room in room.beginLeaving(id) }
    }

    mutating func close(in time: Duration) -> [String] {
        change { room in room.close(room.now.advanced(by: time)) }
    }
}
