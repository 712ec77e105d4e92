/// The size of a pool, decided purely: how many connections it has, and when it ends.
///
/// It knows its members by number. Which push goes to which of them is the room's business.
struct PoolMachine {
    typealias MemberID = Int

    enum Event {
        case start
        /// The member is gone for good.
        case ended(MemberID, CredentialRefusal?)
        /// It was to be started, but the pool is about to be closed.
        case notStarted(MemberID)
        /// Pushes are called.
        case busy
        case tick(Load)
        case resize(ClosedRange<Int>)
        case close
    }

    enum Action: Equatable {
        case start(MemberID)
        /// No push goes there any more; what it has, it finishes.
        case retire(MemberID)
        case closeAll
        /// All members are gone.
        case end(CredentialRefusal?, isGivingUp: Bool)
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
    private(set) var nextTick: MonotonicInstant?
    private var lastNumber: MemberID
    private var hopeless: CredentialRefusal?
    private var isClosing = false
    /// It ends because its last member was given up.
    private var hasFailed = false
    private var busyLooks = 0
    private var idleLooks = 0
    /// When members that were given up are replaced.
    private var replacements: [MonotonicInstant] = []

    /// - Parameters:
    ///   - size: how many connections there may be.
    ///   - members: those that exist already.
    ///   - retired: those that finish what they have.
    init(size: ClosedRange<Int>, members: [MemberID] = [], retired: Set<MemberID> = []) {
        self.size = size
        self.members = members
        self.retired = retired
        lastNumber = max(members.max() ?? 0, retired.max() ?? 0)
    }

    mutating func handle(_ event: Event, _ now: MonotonicInstant) -> [Action] {
        switch event {
        case .start: return reachSize(now)
        case .ended(let id, let refusal): return ended(id, refusal, now)
        case .notStarted(let id):
            remove(id)
            return isClosing && isEmpty ? [.end(hopeless, isGivingUp: hasFailed)] : []
        case .busy:
            let due = now.advanced(by: Self.interval)
            if isServing { nextTick = min(nextTick ?? due, due) }
            return []
        case .tick(let load): return tick(load, now)
        case .resize(let size):
            self.size = size
            return reachSize(now)
        case .close:
            isClosing = true
            nextTick = nil
            return isEmpty ? [.end(nil, isGivingUp: false)] : [.closeAll]
        }
    }

    // MARK: Members

    private var isEmpty: Bool { members.isEmpty && retired.isEmpty }

    /// Whether the next tick comes to look at loads, and not only to replace a member.
    var isWatching: Bool { nextTick != nil && nextTick != replacements.first }

    /// False once its connections only finish what they have.
    private var isServing: Bool { !isClosing && hopeless == nil }

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
        guard isServing else { return [] }
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
        if let refusal { hopeless = hopeless ?? refusal }
        guard isServing else {
            return isEmpty ? [.end(hopeless, isGivingUp: hasFailed || !isClosing)] : []
        }
        // One that was retired has ended as it should.
        guard wasMember else { return [] }
        guard !members.isEmpty else { return giveUp() }
        replacements.append(now.advanced(by: Self.pauseAfterGivingUp))
        nextTick = min(nextTick ?? replacements[0], replacements[0])
        return []
    }

    /// The last member was given up.
    private mutating func giveUp() -> [Action] {
        isClosing = true
        hasFailed = true
        nextTick = nil
        return retired.isEmpty ? [.end(nil, isGivingUp: true)] : [.closeAll]
    }

    // MARK: Load

    private mutating func tick(_ load: Load, _ now: MonotonicInstant) -> [Action] {
        // A tick that stayed due would come again at once, and again.
        nextTick = nil
        guard isServing else { return [] }
        var actions: [Action] = []
        while let due = replacements.first, due <= now {
            replacements.removeFirst()
            if members.count < size.upperBound { actions += start() }
        }
        actions += adapt(load)
        let isIdle = load.outstanding == 0 && members.count <= size.lowerBound
        nextTick = isIdle ? replacements.first : now.advanced(by: Self.interval)
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
