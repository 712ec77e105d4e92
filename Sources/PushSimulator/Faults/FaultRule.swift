import ProcessRuntime

/// When, how often and where a fault occurs: one line of a rehearsal's script.
///
/// All conditions must hold: the trigger, the connection, the time and, last, the probability.
public struct FaultRule: Sendable, Hashable {
    /// The event that triggers a rule.
    @nonexhaustive public enum Trigger: Sendable, Hashable {
        /// A provider connects, before TLS.
        case connecting
        /// TLS is established, and the first SETTINGS are about to be sent.
        case connected
        /// This long after the simulator's first start, on each connection that is open then. A time that has already
        /// passed when the rule is added, or when a provider connects, does not occur again.
        case at(Duration)
        /// Every push, after its checks and before its answer.
        case push
        /// The push with this number on its connection, from 1.
        case pushNumber(Int)
        /// Every push whose number on its connection is a multiple of this one.
        case everyPush(Int)
        /// The push with this number, from 1, counted over all connections of the rule since it was added. If providers
        /// push concurrently, which push that is depends on timing.
        case overallPush(Int)
        /// Every push whose number, counted as for ``overallPush(_:)``, is a multiple of this one.
        case everyOverallPush(Int)
        /// Every push to a device token that begins with these hex digits.
        case pushTo(String)
    }

    /// When the fault occurs.
    public var trigger: Trigger
    /// The fault.
    public var fault: Fault
    /// The connections it applies to.
    public var selection: ConnectionSelection
    /// The maximum number of times, over all connections; nil for no limit.
    public var times: Int?
    /// The times at which it applies, counted from the simulator's first start; nil for always.
    public var between: Range<Duration>?
    /// The probability, 0…1, each time all other conditions hold. Derived from the simulator's seed, the rule, the
    /// connection and the push, so that the same seed and the same pushes give the same faults.
    public var probability: Double
    /// A name for ``FaultFiring``.
    public var name: String?

    /// Creates a rule, by default for all connections and without a limit.
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

    /// Identifies a rule that was added, so that it can be removed and its effects can be found.
    public struct ID: Sendable, Hashable {
        package let number: Int
    }
}

/// The conditions that a single connection can check.
extension FaultRule {
    /// Whether the trigger may apply to this push with this number on its connection. Only ``Faults`` knows the overall
    /// numbers.
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

    /// Whether the rule must count every push.
    var countsOverall: Bool {
        switch trigger {
        case .overallPush, .everyOverallPush: true
        default: false
        }
    }

    /// Whether a time, counted from the first start, is within ``between``.
    func holds(at time: Duration) -> Bool { between?.contains(time) ?? true }

    /// The random draw for the event with this number on a connection.
    func isDrawn(_ id: ID, seed: UInt64, connection: ConnectionID, event: Int) -> Bool {
        guard probability < 1 else { return true }
        var generator = SeededGenerator(
            seed: seed &+ UInt64(truncatingIfNeeded: id.number) &* 0x9FB2_1C65_1E98_DF25
                ^ UInt64(truncatingIfNeeded: connection.number) &* 0xD6E8_FEB8_6659_FD93
                ^ UInt64(truncatingIfNeeded: event) &* 0xA076_1D64_78BD_642F)
        return Double(generator.next() >> 11) * 0x1p-53 < probability
    }
}
