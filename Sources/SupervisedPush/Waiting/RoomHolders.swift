import ProcessRuntime

/// The connections that take pushes from a room, and which of them to wake for a push.
struct RoomHolders {
    typealias ID = WaitingRoom.HolderID

    /// What a holder can do for a waiting push.
    struct Readiness: Equatable {
        /// How many streams it may open.
        var free = 0
        /// How large the bodies of its next pushes may be.
        var bodies = BodyRoom()
        /// The next push is larger: it waits for the peer's windows.
        var isShort = false
        /// How many late streams it may reset for other pushes, if it has no free stream.
        var resettable = 0
        /// It has no free stream and could make room, now or later: by resetting a late stream, or with a fresh link.
        var mayMakeRoom = false
        /// When its link becomes quiet: it then has to check with a PING before it takes a push.
        var quietAt = PushTimes.never
        /// APNs allows fewer streams on its link than before.
        var isThrottled = false
        /// Its link takes pushes.
        var isUp = false
        /// It has sent a PING to check its link, and waits for the answer.
        var isAsking = false
    }

    /// The kinds of holders, each woken in turn.
    fileprivate enum Ring: UInt8, CaseIterable { case free, throttled, late, short, quiet }

    struct Holder {
        var readiness = Readiness()
        /// It was woken, or has just joined, and has not looked yet.
        var isLooking = true
        /// It was woken for a push that any holder may take.
        fileprivate var isTold = false
        /// It finishes its pushes and takes no more.
        var isLeaving = false
        /// Pushes that only it may take.
        var bound = SlotList()
        /// Pushes whose streams it refused.
        var refused = SlotList()
        fileprivate var ring: Ring?
        /// Its link has become quiet since it looked: it has no room before it has checked the link.
        fileprivate var isQuiet = false
    }

    private var table = SlotTable<Holder>()
    private var links = SlotLinks()
    private var rings: (free: SlotList, throttled: SlotList, late: SlotList, short: SlotList, quiet: SlotList) = (
        SlotList(), SlotList(), SlotList(), SlotList(), SlotList()
    )
    /// How many may be worth waking: those in a ring.
    private var ringed = 0
    /// How many have free streams and windows, including those that were woken.
    private(set) var roomy = 0
    /// How many have too small windows for their next push.
    private var short = 0
    /// Those of them that do not know it.
    private var newlyShort: [ID] = []
    /// How many unthrottled links have free streams, and how many throttled links are up; without those that have
    /// become quiet.
    private var kinds = (roomyUnthrottled: 0, throttled: 0)
    private var asking = 0
    /// How many were woken for a push that any holder may take, and have not looked.
    private(set) var told = 0
    /// The one that was woken to check its link.
    private var toldToAsk = WaitingRoom.nobody
    /// Holders with waiting pushes that only they may take.
    private(set) var idsWithBound: [ID] = []

    var count: Int { table.count }
    var ids: [ID] { table.slots }

    subscript(id: ID) -> Holder? { table[id] }
    func contains(_ id: ID) -> Bool { table.contains(id) && table[id] != nil }

    mutating func join() -> ID { table.insert(Holder()) }

    mutating func leave(_ id: ID) {
        looked(id, readiness: Readiness())
        _ = table.take(id)
    }

    /// The first in call order of the pushes that only it may take; -1 if there are none.
    func boundFirst(_ id: ID) -> Int32 {
        guard !idsWithBound.isEmpty else { return -1 }
        return table[id]?.bound.first ?? -1
    }

    /// Whether it takes pushes: it has not ended, and is not about to.
    func takes(_ id: ID) -> Bool { table.contains(id) && table[id]?.isLeaving == false }

    /// The holder that probes a refused credential: the first one that takes pushes.
    var first: ID { table.slots.first { takes($0) } ?? WaitingRoom.nobody }

    mutating func setLeaving(_ id: ID) {
        looked(id, readiness: Readiness())
        table[id]?.isLeaving = true
    }

    // MARK: Their pushes

    mutating func appendBound(_ slot: Int32, to id: ID, in links: inout SlotLinks) {
        table[id]?.bound.append(slot, in: &links)
        if table[id]?.bound.count == 1 { idsWithBound.append(id) }
    }

    mutating func insertBound(_ slot: Int32, after before: Int32, to id: ID, in links: inout SlotLinks) {
        table[id]?.bound.insert(slot, after: before, in: &links)
        if table[id]?.bound.count == 1 { idsWithBound.append(id) }
    }

    mutating func removeBound(_ slot: Int32, from id: ID, in links: inout SlotLinks) {
        table[id]?.bound.remove(slot, in: &links)
        if table[id]?.bound.isEmpty == true { idsWithBound.removeAll { $0 == id } }
    }

    mutating func appendRefused(_ slot: Int32, to id: ID, in links: inout SlotLinks) {
        table[id]?.refused.append(slot, in: &links)
    }

    mutating func removeRefused(_ slot: Int32, from id: ID, in links: inout SlotLinks) {
        table[id]?.refused.remove(slot, in: &links)
    }

    // MARK: Readiness

    /// It has looked, and can do this now.
    mutating func looked(_ id: ID, readiness: Readiness) {
        guard let holder = table[id] else { return }
        if toldToAsk == id { toldToAsk = WaitingRoom.nobody }
        if !newlyShort.isEmpty { newlyShort.removeAll { $0 == id } }
        setTold(id, to: false)
        count(holder.readiness, by: -1)
        if !holder.isQuiet { countKind(holder.readiness, by: -1) }
        count(readiness, by: 1)
        countKind(readiness, by: 1)
        table[id]?.readiness = readiness
        table[id]?.isLooking = false
        table[id]?.isQuiet = false
        move(id, to: Self.ring(readiness))
    }

    private mutating func count(_ readiness: Readiness, by step: Int) {
        if readiness.isAsking { asking += step }
        if readiness.isShort {
            short += step
        } else if readiness.free > 0 {
            roomy += step
        }
    }

    private mutating func countKind(_ readiness: Readiness, by step: Int) {
        guard readiness.isUp, !readiness.isAsking else { return }
        if readiness.isThrottled {
            kinds.throttled += step
        } else if readiness.free > 0, !readiness.isShort {
            kinds.roomyUnthrottled += step
        }
    }

    private static func ring(_ readiness: Readiness) -> Ring? {
        if readiness.isShort { return .short }
        if readiness.free > 0 { return readiness.isThrottled ? .throttled : .free }
        return readiness.resettable > 0 ? .late : nil
    }

    private mutating func move(_ id: ID, to ring: Ring?) {
        guard let holder = table[id], holder.ring != ring else { return }
        if let old = holder.ring { withRing(old) { $0.remove(id, in: &$1) } }
        if let ring { withRing(ring) { $0.append(id, in: &$1) } }
        ringed += (ring == nil ? 0 : 1) - (holder.ring == nil ? 0 : 1)
        table[id]?.ring = ring
    }

    private mutating func withRing(_ ring: Ring, _ change: (inout SlotList, inout SlotLinks) -> Void) {
        switch ring {
        case .free: change(&rings.free, &links)
        case .throttled: change(&rings.throttled, &links)
        case .late: change(&rings.late, &links)
        case .short: change(&rings.short, &links)
        case .quiet: change(&rings.quiet, &links)
        }
    }

    /// Whether pushes are restricted to one kind of link: suspect ones go to throttled links while one is up, to spare
    /// the others; ordinary ones go to the others while one has room.
    func isChoosy(isSuspect: Bool) -> Bool { isSuspect ? kinds.throttled > 0 : kinds.roomyUnthrottled > 0 }

    /// Whether it has a stream for a push, according to its last report.
    func canTake(_ id: ID) -> Bool { table[id].map { $0.ring != nil } ?? false }

    /// Whether its windows were too small for the next push.
    func isShort(_ id: ID) -> Bool { table[id]?.readiness.isShort == true }

    /// Whether no link has windows for the next push, and one would take it otherwise.
    var areShort: Bool { short > 0 && roomy == 0 }

    // MARK: Wake-ups

    /// No holder can be woken for a push, usually because all look already.
    var areBusy: Bool { ringed == 0 && newlyShort.isEmpty }

    /// Removes and returns the next holder in turn that can take a push with this many body bytes: one with a free
    /// stream of the preferred kind, one of the other kind, or one with late streams.
    mutating func takeNext(isSuspect: Bool, bytes: Int, _ now: MonotonicInstant) -> ID? {
        var found = takeFree(isSuspect ? .throttled : .free, bytes: bytes, now)
        if found == nil, !isChoosy(isSuspect: isSuspect) {
            found = takeFree(isSuspect ? .free : .throttled, bytes: bytes, now)
        }
        guard let id = found ?? firstLate(isSuspect: isSuspect) else { return nil }
        tell(id)
        return id
    }

    /// Wakes it for a push that any holder may take.
    mutating func tell(_ id: ID) {
        wake(id)
        setTold(id, to: true)
    }

    /// Removes and returns a holder that must first check its link.
    mutating func takeQuiet() -> ID? {
        // One that checks is enough.
        guard asking == 0, toldToAsk == WaitingRoom.nobody, let id = first(of: .quiet) else { return nil }
        wake(id)
        toldToAsk = id
        return id
    }

    private mutating func setTold(_ id: ID, to isTold: Bool) {
        guard let holder = table[id], holder.isTold != isTold else { return }
        table[id]?.isTold = isTold
        told += isTold ? 1 : -1
    }

    func isTold(_ id: ID) -> Bool { table[id]?.isTold == true }

    /// Wakes it; false if it was woken already.
    @discardableResult
    mutating func wake(_ id: ID) -> Bool {
        guard let holder = table[id], !holder.isLooking else { return false }
        move(id, to: nil)
        table[id]?.isLooking = true
        return true
    }

    private func first(of ring: Ring) -> ID? {
        let list =
            switch ring {
            case .free: rings.free
            case .throttled: rings.throttled
            case .late: rings.late
            case .short: rings.short
            case .quiet: rings.quiet
            }
        return list.isEmpty ? nil : list.first
    }

    /// The first holder with late streams whose link accepts this kind of push.
    private func firstLate(isSuspect: Bool) -> ID? {
        var id = rings.late.first
        while id >= 0, isChoosy(isSuspect: isSuspect), table[id]?.readiness.isThrottled != isSuspect {
            id = links.next(after: id)
        }
        return id >= 0 ? id : nil
    }

    /// Removes and returns a holder that must look to learn that pushes wait for its windows.
    mutating func takeNewlyShort() -> ID? { newlyShort.popLast() }

    /// The holders with too small windows, one after the other; -1 after the last.
    func nextShort(after id: ID? = nil) -> ID { id.map { links.next(after: $0) } ?? rings.short.first }

    private mutating func takeFree(_ ring: Ring, bytes: Int, _ now: MonotonicInstant) -> ID? {
        while let id = first(of: ring), let readiness = table[id]?.readiness {
            if readiness.quietAt <= now {
                move(id, to: .quiet)
                countKind(readiness, by: -1)
                table[id]?.isQuiet = true
            } else if !readiness.bodies.takes(bytes) {
                becomeShort(id, readiness: readiness)
            } else {
                return id
            }
        }
        return nil
    }

    private mutating func becomeShort(_ id: ID, readiness: Readiness) {
        newlyShort.append(id)
        count(readiness, by: -1)
        countKind(readiness, by: -1)
        table[id]?.readiness.isShort = true
        count(readiness.whenShort, by: 1)
        countKind(readiness.whenShort, by: 1)
        move(id, to: .short)
    }
}

extension RoomHolders.Readiness {
    fileprivate var whenShort: Self {
        var readiness = self
        readiness.isShort = true
        return readiness
    }
}
