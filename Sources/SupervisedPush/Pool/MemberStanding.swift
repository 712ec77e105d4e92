/// How a pool's connection stands, as far as choosing one is concerned: a few numbers, a moment old.
struct MemberStanding: Equatable {
    var phase = ConnectionPhase.dialing
    /// True while APNs allows fewer streams than it once did on this link.
    var isThrottled = false
    /// The most streams its link may have open; 0 without a link.
    var limit = 0
    /// Pushes that wait or are in flight, and whether there is room for more.
    var crowd = Intake.Crowd()

    /// Less is better. The kind of link comes first, then how busy it is for its limit.
    func cost(isSuspect: Bool) -> Int {
        let kind =
            switch phase {
            case .up: isThrottled == isSuspect ? 0 : 1
            case .dialing: 2
            case .down: 3
            case .suspended: 4
            }
        let load = crowd.outstanding * 1_024 / max(limit, 1)
        return (kind + (crowd.isFull ? 8 : 0)) << 40 + min(load, 1 << 40 - 1)
    }
}

/// As one word, which is written and read without a lock.
extension MemberStanding {
    private static let phases: [ConnectionPhase] = [.dialing, .up, .down, .suspended]

    static func word(_ gauges: ConnectionGauges) -> UInt64 {
        let phase = phases.firstIndex(of: gauges.phase) ?? 0
        return UInt64(phase) | (gauges.isThrottled ? 4 : 0) | UInt64(clamping: gauges.limit) << 8
    }

    init(_ word: UInt64, _ crowd: Intake.Crowd) {
        phase = Self.phases[Int(word & 3)]
        isThrottled = word & 4 != 0
        limit = Int(word >> 8)
        self.crowd = crowd
    }
}

extension MemberStanding {
    /// The index of the connection that a push goes to: the least loaded of the best kind. Of equal ones the first from
    /// `start` on, so that they take turns; while the credential is refused for good, always the first, whose push is the
    /// probe for all of them.
    static func best(of count: Int, from start: Int, isSuspect: Bool, _ standing: (Int) -> MemberStanding) -> Int? {
        var best: (index: Int, cost: Int)?
        for offset in 0..<count {
            let index = (start + offset) % count
            let member = standing(index)
            let cost = member.cost(isSuspect: isSuspect) + (member.phase == .suspended ? index : 0)
            if best.map({ cost < $0.cost }) ?? true { best = (index, cost) }
        }
        return best?.index
    }
}
