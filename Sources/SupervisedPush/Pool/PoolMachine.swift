import ProcessRuntime

/// The size of a pool as a pure machine: how many connections it has, and when to give it up. Its ``LifeMachine``
/// handles closing.
///
/// It knows its members by number. The room decides which push goes to which of them.
struct PoolMachine: StateMachine {
    typealias MemberID = Int

    enum Event {
        case start
        /// The member has ended.
        case ended(MemberID, CredentialRefusal?)
        /// The member was closed, and only finishes its pushes.
        case left(MemberID)
        /// Pushes are called.
        case busy
        case tick(Load)
        case resize(ClosedRange<Int>)
    }

    enum Action: Equatable {
        case start(MemberID)
        /// It takes no more pushes and finishes those it has.
        case retire(MemberID)
        /// Its last member was given up, or APNs refuses the shared credential.
        case giveUp(CredentialRefusal?)
    }

    /// The load of the pool.
    struct Load: Equatable {
        /// How many streams its links may have.
        var capacity = 0
        /// Pushes that wait or are in flight.
        var outstanding = 0
        /// Every connection has a link.
        var areAllUp = false
    }

    /// The time between two checks of the load while there is work.
    static let interval = Duration.seconds(1)
    /// How many consecutive checks must find the pool busy before it grows, or idle before it shrinks.
    static let looksToGrow = 2
    static let looksToShrink = 30
    /// The time after which a member that was given up gets a successor.
    static let pauseAfterGivingUp = Duration.seconds(10)

    private(set) var size: ClosedRange<Int>
    private(set) var members: [MemberID]
    /// Members that only finish their pushes.
    private var retired: Set<MemberID> = []
    /// When `tick` is due; nil if nothing changes on its own.
    private(set) var nextWake: MonotonicInstant?
    private var lastNumber: MemberID
    private var busyLooks = 0
    private var idleLooks = 0
    /// When members that were given up are replaced.
    private var replacements: [MonotonicInstant] = []

    /// - Parameters:
    ///   - size: How many connections there may be.
    ///   - members: The existing ones.
    ///   - retired: The ones that only finish their pushes.
    init(size: ClosedRange<Int>, members: [MemberID] = [], retired: Set<MemberID> = []) {
        self.size = size
        self.members = members
        self.retired = retired
        lastNumber = max(members.max() ?? 0, retired.max() ?? 0)
    }

    mutating func handle(_ event: Event, _ now: MonotonicInstant, into actions: inout [Action]) {
        actions += decide(event, now)
    }

    private mutating func decide(_ event: Event, _ now: MonotonicInstant) -> [Action] {
        switch event {
        case .start: return reachSize(now)
        case .ended(let id, let refusal): return ended(id, refusal: refusal, now)
        case .left(let id):
            guard members.contains(id) else { return [] }
            leave(id)
            return reachSize(now)
        case .busy:
            let due = now.advanced(by: Self.interval)
            nextWake = min(nextWake ?? due, due)
            return []
        case .tick(let load): return tick(load, now)
        case .resize(let size):
            self.size = size
            return reachSize(now)
        }
    }

    // MARK: Members

    /// Whether the next tick checks loads, and does not only replace a member.
    var isWatching: Bool { nextWake != nil && nextWake != replacements.first }

    private mutating func start() -> [Action] {
        lastNumber += 1
        members.append(lastNumber)
        return [.start(lastNumber)]
    }

    private mutating func retire(_ id: MemberID) -> Action {
        leave(id)
        return .retire(id)
    }

    private mutating func leave(_ id: MemberID) {
        remove(id)
        retired.insert(id)
    }

    private mutating func remove(_ id: MemberID) { members.removeAll { $0 == id } }

    private mutating func reachSize(_ now: MonotonicInstant) -> [Action] {
        var actions: [Action] = []
        while members.count + replacements.count < size.lowerBound { actions += start() }
        // The youngest go first, because the others are warm.
        while members.count > size.upperBound, let youngest = members.last { actions.append(retire(youngest)) }
        return actions
    }

    private mutating func ended(
        _ id: MemberID, refusal: CredentialRefusal?, _ now: MonotonicInstant
    ) -> [Action] {
        let wasMember = members.contains(id)
        guard retired.remove(id) != nil || wasMember else { return [] }
        remove(id)
        // The room tells all of them.
        if let refusal { return [.giveUp(refusal)] }
        // A retired member has ended as planned.
        guard wasMember else { return [] }
        guard !members.isEmpty else { return [.giveUp(nil)] }
        replacements.append(now.advanced(by: Self.pauseAfterGivingUp))
        nextWake = min(nextWake ?? replacements[0], replacements[0])
        return []
    }

    // MARK: Load

    private mutating func tick(_ load: Load, _ now: MonotonicInstant) -> [Action] {
        var actions: [Action] = []
        while let due = replacements.first, due <= now {
            replacements.removeFirst()
            if members.count < size.upperBound { actions += start() }
        }
        actions += adapt(load)
        let isIdle = load.outstanding == 0 && members.count <= size.lowerBound
        nextWake = isIdle ? replacements.first : now.advanced(by: Self.interval)
        return actions
    }

    private mutating func adapt(_ load: Load) -> [Action] {
        let (capacity, outstanding) = (load.capacity, load.outstanding)
        // While no link is up, more connections would not help.
        let isBusy = capacity > 0 && outstanding * 5 > capacity * 4
        let others = members.count > 1 ? capacity / members.count * (members.count - 1) : 0
        let isIdle = outstanding * 2 < others || outstanding == 0
        busyLooks = isBusy ? busyLooks + 1 : 0
        idleLooks = isIdle ? idleLooks + 1 : 0
        if busyLooks >= Self.looksToGrow, members.count < size.upperBound, load.areAllUp {
            busyLooks = 0
            return start()
        }
        if idleLooks >= Self.looksToShrink, members.count > size.lowerBound, let youngest = members.last {
            return [retire(youngest)]
        }
        return []
    }
}
