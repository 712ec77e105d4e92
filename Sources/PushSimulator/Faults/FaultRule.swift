/// When a fault happens, how often, and to whom: one line of a rehearsal's script.
public struct FaultRule: Sendable, Hashable {
    /// The moment at which a rule applies.
    public enum Trigger: Sendable, Hashable {
        /// A provider connects, before TLS. Here ``Fault/cut(_:)`` turns it away and ``Fault/deafen`` leaves it without an answer; other
        /// faults mean nothing.
        case connecting
        /// TLS is up and the first SETTINGS are on their way.
        case connected
        /// Every push, after it was judged and before it is answered.
        case push
        /// The push of this number on its connection, from 1.
        case pushNumber(Int)
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

    /// A rule for all connections and without end, unless said otherwise.
    public init(_ trigger: Trigger, _ fault: Fault, on selection: ConnectionSelection = .all, times: Int? = nil) {
        self.trigger = trigger
        self.fault = fault
        self.selection = selection
        self.times = times
    }

    /// Names a rule that was added, to remove it.
    public struct ID: Sendable, Hashable {
        let number: Int
    }

    /// True where the rule applies to this push, of this number on its connection.
    func applies(to request: PushRequest, number: Int) -> Bool {
        switch trigger {
        case .connecting, .connected: false
        case .push: true
        case .pushNumber(let wanted): wanted == number
        case .pushTo(let digits):
            request.deviceToken.map {
                $0.count >= digits.utf8.count && zip($0, digits.utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
            }
                ?? false
        }
    }
}
