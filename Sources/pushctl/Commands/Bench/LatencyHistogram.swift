import PushCampaign

/// Times, counted in memory that does not grow: each time goes to one of 128 slots for each doubling, as in HdrHistogram. So every
/// percentile is known to within 0.8 %.
struct LatencyHistogram: Sendable {
    /// A row of a drawing: how many times are from `from` on, up to the next row's.
    struct Row: Equatable, Sendable {
        /// Nanoseconds.
        let from: UInt64
        let count: Int
    }

    private static let slotsPerDoubling = 128
    private static let doublingBits = 7
    /// Nanoseconds, some 18 minutes. Longer times count as this one.
    private static let longest: UInt64 = (1 << 40) - 1

    private var counts = [Int](repeating: 0, count: Self.slot(of: Self.longest) + 1)
    private(set) var total = 0
    private(set) var least = UInt64.max
    private(set) var most: UInt64 = 0

    init() {}

    mutating func add(_ nanoseconds: UInt64) {
        counts[Self.slot(of: min(nanoseconds, Self.longest))] += 1
        total += 1
        least = min(least, nanoseconds)
        most = max(most, nanoseconds)
    }

    /// The time, in nanoseconds, that this percentage of the times does not exceed; nil without times.
    func percentile(_ percent: Double) -> UInt64? {
        guard total > 0 else { return nil }
        let rank = max(1, (Double(total) * percent / 100).rounded(.up))
        var passed = 0
        for (slot, count) in counts.enumerated() where count > 0 {
            passed += count
            if Double(passed) >= rank { return min(most, Self.start(of: slot + 1) - 1) }
        }
        return most
    }

    /// The times in rows of equal width on a logarithmic scale: as fine as at most this many rows allow, from eight for each doubling
    /// to one.
    func rows(atMost limit: Int) -> [Row] {
        guard total > 0 else { return [] }
        let (first, last) = (Self.slot(of: min(least, Self.longest)), Self.slot(of: min(most, Self.longest)))
        var width = Self.slotsPerDoubling / 8
        while width < Self.slotsPerDoubling, last / width - first / width >= limit { width *= 2 }
        return (first / width...last / width).map { row in
            let slots = row * width..<min(counts.count, (row + 1) * width)
            return Row(from: Self.start(of: slots.lowerBound), count: counts[slots].reduce(0, +))
        }
    }

    /// The number of the slot: a time's highest eight bits, behind those of the shorter doublings.
    private static func slot(of nanoseconds: UInt64) -> Int {
        let doubling = max(0, 63 - doublingBits - nanoseconds.leadingZeroBitCount)
        return doubling * slotsPerDoubling + Int(nanoseconds >> UInt64(doubling))
    }

    /// The least time of a slot.
    private static func start(of slot: Int) -> UInt64 {
        let doubling = max(0, slot / slotsPerDoubling - 1)
        return UInt64(slot - doubling * slotsPerDoubling) << UInt64(doubling)
    }
}
