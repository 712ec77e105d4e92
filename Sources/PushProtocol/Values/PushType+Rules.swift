/// The rules of push types, from section 3 of Apple's page on sending notification requests and the pages of the
/// frameworks.
extension PushType {
    /// The largest payload that APNs accepts for this type, in bytes of JSON: 5120 for `voip`, otherwise 4096.
    public var maxPayloadBytes: Int { self == .voip ? 5120 : 4096 }

    /// The priorities that APNs accepts for this type; nil if it accepts any.
    public var permittedPriorities: [PushPriority]? {
        switch self {
        case .background: [.conserving]
        case .voip, .pushToTalk: [.immediate]
        case .liveActivity: [.conserving, .immediate]
        default: nil
        }
    }

    /// Whether APNs rejects the priority for this type. Unknown priorities are allowed, because APNs may add them.
    func forbids(_ priority: PushPriority) -> Bool {
        guard let permittedPriorities, PushPriority.known.contains(priority) else { return false }
        return !permittedPriorities.contains(priority)
    }

    /// The priority itself or, if APNs rejects it for this type, the nearest one that it accepts.
    func permitted(nearest priority: PushPriority) -> PushPriority {
        guard forbids(priority), let permittedPriorities else { return priority }
        func distance(_ other: PushPriority) -> Int { abs(other.rawValue - priority.rawValue) }
        return permittedPriorities.min { distance($0) < distance($1) } ?? priority
    }

    /// The priority to send if none is set. Nil: no header, which APNs treats as 10.
    public var defaultPriority: PushPriority? {
        switch self {
        case .background: .conserving
        case .voip, .pushToTalk: .immediate
        default: nil
        }
    }

    /// The expiration to send if the push sets none, whatever the connection's default: a late call is worse than none.
    /// Nil: the connection's default.
    public var defaultExpiration: Expiration? {
        switch self {
        case .voip, .pushToTalk: .immediately
        default: nil
        }
    }
}
