/// When a fault happens, how often, and to whom: one line of a rehearsal's script.
///
/// All conditions must hold: the trigger, the connection, the time, and last of all chance.
public struct FaultRule: Sendable, Hashable {
    /// The moment at which a rule applies.
    public enum Trigger: Sendable, Hashable {
        /// A provider connects, before TLS.
        case connecting
        /// TLS is up and the first SETTINGS are on their way.
        case connected
        /// So long after the simulator's first start, on each connection that is open then. A time that has passed when the rule is added, or
        /// when a provider connects, does not come again.
        case at(Duration)
        /// Every push, after it was judged and before it is answered.
        case push
        /// The push of this number on its connection, from 1.
        case pushNumber(Int)
        /// Every push whose number on its connection is a multiple of this one.
        case everyPush(Int)
        /// The push of this number, from 1, counted over all the connections of the rule since it was added. Which one that is depends on
        /// chance where providers push at the same time.
        case overallPush(Int)
        /// Every push whose number, counted as for ``overallPush(_:)``, is a multiple of this one.
        case everyOverallPush(Int)
        /// Every push to a device token that begins with these hex digits.
        case pushTo(String)
    }

    /// When.
    public var trigger: Trigger
    /// What.
    public var fault: Fault
    /// On which connections.
    public var selection: ConnectionSelection
    /// How often at most, over all connections; nil for always.
    public var times: Int?
    /// At which times, from the simulator's first start; nil for always.
    public var between: Range<Duration>?
    /// How likely it is, 0…1, each time everything else holds. Drawn from the simulator's seed, the rule, the connection and the push, so that
    /// the same seed and the same pushes give the same faults.
    public var probability: Double
    /// A name for ``FaultFiring``.
    public var name: String?

    /// A rule for all connections and without end, unless said otherwise.
    public init(
        _ trigger: Trigger, _ fault: Fault, on selection: ConnectionSelection = .all, times: Int? = nil,
        between: Range<Duration>? = nil, probability: Double = 1, name: String? = nil
    ) {
        self.trigger = trigger
        self.fault = fault
        self.selection = selection
        self.times = times
        self.between = between
        self.probability = probability
        self.name = name
    }

    /// Names a rule that was added, to remove it and to find what it did.
    public struct ID: Sendable, Hashable {
        let number: Int
    }
}

/// When a rule applies, as far as one connection can tell.
extension FaultRule {
    /// True where this push, of this number on its connection, is one the trigger may mean. Of the overall numbers only ``Faults`` knows.
    func applies(to request: PushRequest, number: Int) -> Bool {
        switch trigger {
        case .connecting, .connected, .at: false
        case .push, .overallPush, .everyOverallPush: true
        case .pushNumber(let wanted): wanted == number
        case .everyPush(let divisor): divisor > 0 && number % divisor == 0
        case .pushTo(let digits):
            request.deviceToken.map {
                $0.count >= digits.utf8.count && zip($0, digits.utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
            }
                ?? false
        }
    }

    /// True where the rule has to see every push, to count it.
    var countsOverall: Bool {
        switch trigger {
        case .overallPush, .everyOverallPush: true
        default: false
        }
    }

    /// True at a time, from the first start, that lies in ``between``.
    func holds(at time: Duration) -> Bool { between?.contains(time) ?? true }

    /// What chance says to the event of this number on a connection.
    func isDrawn(_ id: ID, seed: UInt64, connection: ConnectionID, event: Int) -> Bool {
        guard probability < 1 else { return true }
        var generator = SplitMix64(
            seed: seed &+ UInt64(truncatingIfNeeded: id.number) &* 0x9FB2_1C65_1E98_DF25
                ^ UInt64(truncatingIfNeeded: connection.number) &* 0xD6E8_FEB8_6659_FD93
                ^ UInt64(truncatingIfNeeded: event) &* 0xA076_1D64_78BD_642F)
        return Double(generator.next() >> 11) * 0x1p-53 < probability
    }
}
