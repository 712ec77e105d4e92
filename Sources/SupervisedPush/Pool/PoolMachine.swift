import ProcessRuntime

/// The size of a pool, decided purely: how many connections it has, and when it has to be given up. What closing means,
/// its ``LifeMachine`` knows.
///
/// It knows its members by number. Which push goes to which of them is the room's business.
struct PoolMachine: StateMachine {
    typealias MemberID = Int

    enum Event {
        case start
        /// The member is gone for good.
        case ended(MemberID, CredentialRefusal?)
        /// Pushes are called.
        case busy
        case tick(Load)
        case resize(ClosedRange<Int>)
    }

    enum Action: Equatable {
        case start(MemberID)
        /// No push goes there any more; what it has, it finishes.
        case retire(MemberID)
        /// Its last member was given up, or APNs refuses the credential of all.
        case giveUp(CredentialRefusal?)
    }

    /// How busy the pool is.
    struct Load: Equatable {
        /// How many streams its links may have.
        var capacity = 0
        /// Pushes that wait or are in flight.
        var outstanding = 0
        /// Every connection has a link.
        var areAllUp = false
    }

    /// How often loads are compared while there is work.
    static let interval = Duration.seconds(1)
    /// So many looks in a row have to find the pool busy before it grows, and idle before it shrinks.
    static let looksToGrow = 2
    static let looksToShrink = 30
    /// A member that was given up gets a successor after this.
    static let pauseAfterGivingUp = Duration.seconds(10)

    private(set) var size: ClosedRange<Int>
    private(set) var members: [MemberID]
    /// Those that finish what they have.
    private var retired: Set<MemberID> = []
    /// When `tick` is wanted; nil: nothing changes by itself.
    private(set) var nextWake: MonotonicInstant?
    private var lastNumber: MemberID
    private var busyLooks = 0
    private var idleLooks = 0
    /// When members that were given up are replaced.
    private var replacements: [MonotonicInstant] = []

    /// - Parameters:
    ///   - size: How many connections there may be.
    ///   - members: Those that exist already.
    ///   - retired: Those that finish what they have.
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
        case .ended(let id, let refusal): return ended(id, refusal, now)
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

    /// Whether the next tick comes to look at loads, and not only to replace a member.
    var isWatching: Bool { nextWake != nil && nextWake != replacements.first }

    private mutating func start() -> [Action] {
        lastNumber += 1
        members.append(lastNumber)
        return [.start(lastNumber)]
    }

    private mutating func retire(_ id: MemberID) -> Action {
        remove(id)
        retired.insert(id)
        return .retire(id)
    }

    private mutating func remove(_ id: MemberID) { members.removeAll { $0 == id } }

    private mutating func reachSize(_ now: MonotonicInstant) -> [Action] {
        var actions: [Action] = []
        while members.count + replacements.count < size.lowerBound { actions += start() }
        // The youngest go first: the others are warm.
        while members.count > size.upperBound, let youngest = members.last { actions.append(retire(youngest)) }
        return actions
    }

    private mutating func ended(
        _ id: MemberID, _ refusal: CredentialRefusal?, _ now: MonotonicInstant
    ) -> [Action] {
        let wasMember = members.contains(id)
        guard retired.remove(id) != nil || wasMember else { return [] }
        remove(id)
        // All of them hear it from the room.
        if let refusal { return [.giveUp(refusal)] }
        // One that was retired has ended as it should.
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
        // While nothing is up, more connections would not be either.
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
