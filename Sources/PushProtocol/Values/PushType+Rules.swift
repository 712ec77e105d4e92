/// What follows from a push type, by section 3 of Apple's page on sending notification requests and the pages of the frameworks.
extension PushType {
    /// The largest payload APNs takes for this type, in bytes of JSON: 5120 for `voip`, else 4096.
    public var maxPayloadBytes: Int { self == .voip ? 5120 : 4096 }

    /// The only priorities APNs takes for this type; nil where any will do.
    public var permittedPriorities: [PushPriority]? {
        switch self {
        case .background: [.conserving]
        case .voip, .pushToTalk: [.immediate]
        case .liveActivity: [.conserving, .immediate]
        default: nil
        }
    }

    /// Whether APNs refuses the priority for this type; one that it does not know, it may know tomorrow.
    func forbids(_ priority: PushPriority) -> Bool {
        guard let permittedPriorities, PushPriority.known.contains(priority) else { return false }
        return !permittedPriorities.contains(priority)
    }

    /// The priority itself, unless APNs refuses it for this type; then the nearest of those that it takes.
    func permitted(nearest priority: PushPriority) -> PushPriority {
        guard forbids(priority), let permittedPriorities else { return priority }
        func distance(_ other: PushPriority) -> Int { abs(other.rawValue - priority.rawValue) }
        return permittedPriorities.min { distance($0) < distance($1) } ?? priority
    }

    /// The priority that is sent where none is set. Nil: no header, which APNs reads as 10.
    public var defaultPriority: PushPriority? {
        switch self {
        case .background: .conserving
        case .voip, .pushToTalk: .immediate
        default: nil
        }
    }

    /// The expiration that is sent where the push sets none, whatever the connection's default: a call or a voice that comes late is
    /// worse than none. Nil: the connection's default.
    public var defaultExpiration: Expiration? {
        switch self {
        case .voip, .pushToTalk: .immediately
        default: nil
        }
    }
}
