/// The life of a pool, decided purely: how many connections it has, which one's pushes go elsewhere, and what a refused
/// credential means for all.
///
/// It knows its members by number. Which push goes to which of them is not its business: callers choose by themselves, see
/// ``MemberStanding``.
struct PoolMachine {
    typealias MemberID = Int

    enum News: Equatable {
        /// It takes pushes.
        case up
        /// What waits there waits for another link.
        case left
        /// APNs refuses its credential, which it once took.
        case suspended(CredentialRefusal)
        /// APNs took a push.
        case accepted
    }

    enum Event {
        case start
        case heard(MemberID, News)
        /// The member is gone for good.
        case ended(MemberID, CredentialRefusal?)
        /// It was to be started, but the pool is about to be closed.
        case notStarted(MemberID)
        /// Pushes are called.
        case busy
        case tick([Load])
        case resize(ClosedRange<Int>)
        case close
    }

    enum Action: Equatable {
        case start(MemberID)
        /// No push goes there any more; what it has, it finishes.
        case retire(MemberID)
        /// What waits there, and stands in no line, goes to others.
        case spread(MemberID)
        /// The credential is refused for good: the member is to behave as if it had been told so itself.
        case refuse(MemberID, CredentialRefusal)
        /// The credential was accepted, for all of them.
        case accept(MemberID)
        /// The credential works again.
        case resume(MemberID)
        case closeAll
        /// All members are gone.
        case end(CredentialRefusal?, isGivingUp: Bool)
    }

    /// How busy a member is.
    struct Load: Equatable {
        var id: MemberID
        var isUp = true
        var outstanding = 0
        var limit = 1_000

        var free: Int { isUp ? max(0, limit - outstanding) : 0 }
        var waiting: Int { max(0, outstanding - (isUp ? limit : 0)) }
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
    private var up: Set<MemberID> = []
    private var wasAccepted = false
    /// The member whose pushes try the refused credential, and why it is refused.
    private var suspension: (prober: MemberID, refusal: CredentialRefusal)?
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
    ///   - up: those of them that take pushes.
    ///   - retired: those that finish what they have.
    ///   - wasAccepted: whether APNs took a push of any of them.
    init(
        size: ClosedRange<Int>, members: [MemberID] = [], up: Set<MemberID> = [], retired: Set<MemberID> = [],
        wasAccepted: Bool = false
    ) {
        self.size = size
        self.members = members
        self.up = up
        self.retired = retired
        self.wasAccepted = wasAccepted
        lastNumber = max(members.max() ?? 0, retired.max() ?? 0)
    }

    mutating func handle(_ event: Event, _ now: MonotonicInstant) -> [Action] {
        switch event {
        case .start: return reachSize(now)
        case .heard(let id, let news): return members.contains(id) ? heard(id, news) : []
        case .ended(let id, let refusal): return ended(id, refusal, now)
        case .notStarted(let id):
            remove(id)
            return isClosing && isEmpty ? [.end(hopeless, isGivingUp: hasFailed)] : []
        case .busy:
            let due = now.advanced(by: Self.interval)
            if isServing { nextTick = min(nextTick ?? due, due) }
            return []
        case .tick(let loads): return tick(loads, now)
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
        return [.start(lastNumber)] + (suspension.map { [.refuse(lastNumber, $0.refusal)] } ?? [])
    }

    private mutating func retire(_ id: MemberID) -> Action {
        remove(id)
        retired.insert(id)
        return .retire(id)
    }

    private mutating func remove(_ id: MemberID) {
        members.removeAll { $0 == id }
        up.remove(id)
        // While all are suspended, pushes go to the first.
        if let suspension, suspension.prober == id { self.suspension = members.first.map { ($0, suspension.refusal) } }
    }

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
        var actions: [Action] = []
        if let refusal, !wasAccepted, hopeless == nil {
            hopeless = refusal
            actions += members.map { .refuse($0, refusal) }
        }
        guard isServing else {
            if isEmpty { actions.append(.end(hopeless, isGivingUp: hasFailed || !isClosing)) }
            return actions
        }
        // One that was retired has ended as it should.
        guard wasMember else { return actions }
        guard !members.isEmpty else { return giveUp() }
        replacements.append(now.advanced(by: Self.pauseAfterGivingUp))
        nextTick = min(nextTick ?? replacements[0], replacements[0])
        return actions
    }

    /// The last member was given up.
    private mutating func giveUp() -> [Action] {
        isClosing = true
        hasFailed = true
        nextTick = nil
        return retired.isEmpty ? [.end(nil, isGivingUp: true)] : [.closeAll]
    }

    private mutating func heard(_ id: MemberID, _ news: News) -> [Action] {
        switch news {
        case .up:
            up.insert(id)
            // While it closes each sends what it has: the others may have ended before it reaches them.
            var actions = isClosing ? [] : members.filter { !up.contains($0) }.map { Action.spread($0) }
            if suspension?.prober == id {
                suspension = nil
                actions = members.filter { $0 != id }.map { .resume($0) }
            }
            return actions
        case .left:
            up.remove(id)
            return up.isEmpty || isClosing ? [] : [.spread(id)]
        case .suspended(let refusal):
            up.remove(id)
            guard suspension == nil else { return [] }
            // Pushes go to the first of them while all are suspended: it is the one that tries the credential.
            suspension = (members.first ?? id, refusal)
            return members.filter { $0 != id }.map { .refuse($0, refusal) }
        case .accepted:
            guard !wasAccepted else { return [] }
            wasAccepted = true
            // It crossed the refusal that ends the pool, and would only be suspended.
            guard hopeless == nil else { return [.closeAll] }
            return members.filter { $0 != id }.map { .accept($0) }
        }
    }

    // MARK: Load

    private mutating func tick(_ loads: [Load], _ now: MonotonicInstant) -> [Action] {
        // A tick that stayed due would come again at once, and again.
        nextTick = nil
        guard isServing else { return [] }
        var actions: [Action] = []
        while let due = replacements.first, due <= now {
            replacements.removeFirst()
            if members.count < size.upperBound { actions += start() }
        }
        actions += balance(loads)
        actions += adapt(loads)
        let isIdle = loads.allSatisfy { $0.outstanding == 0 } && members.count <= size.lowerBound
        nextTick = isIdle ? replacements.first : now.advanced(by: Self.interval)
        return actions
    }

    /// Pushes that wait although there is room elsewhere go there.
    private func balance(_ loads: [Load]) -> [Action] {
        let free = loads.reduce(0) { $0 + $1.free }
        guard free > 0 else { return [] }
        return loads.filter { $0.waiting > 0 }.map { .spread($0.id) }
    }

    private mutating func adapt(_ loads: [Load]) -> [Action] {
        let capacity = loads.reduce(0) { $0 + ($1.isUp ? $1.limit : 0) }
        let outstanding = loads.reduce(0) { $0 + $1.outstanding }
        // While nothing is up, more connections would not be either.
        let isBusy = capacity > 0 && outstanding * 5 > capacity * 4
        let others = members.count > 1 ? capacity / members.count * (members.count - 1) : 0
        let isIdle = outstanding * 2 < others || outstanding == 0
        busyLooks = isBusy ? busyLooks + 1 : 0
        idleLooks = isIdle ? idleLooks + 1 : 0
        if busyLooks >= Self.looksToGrow, members.count < size.upperBound, loads.allSatisfy(\.isUp) {
            busyLooks = 0
            return start()
        }
        if idleLooks >= Self.looksToShrink, members.count > size.lowerBound, let youngest = members.last {
            return [retire(youngest)]
        }
        return []
    }
}
