import ProcessRuntime

/// What one burst of a process added, counted on its own queue without a lock and handed over once, at the burst's end.
struct BurstTally {
    private(set) var counters = ConnectionCounters()
    /// The requests and answers of the link used last; those of other links are kept in a list.
    private var link = LinkID(number: 0)
    private var traffic = Traffic()
    private var aside: [(link: LinkID, sum: Traffic)] = []
    /// RST_STREAM frames; consecutive ones of one kind are summed up.
    private(set) var resets: [(link: LinkID, sum: Resets)] = []
    /// How long one of the burst's answered pushes took: from its call, or from its latest write if its timeout counts from
    /// that. A sample for the metrics.
    private(set) var sample: Duration?

    mutating func wrote(_ stream: Int32, on link: LinkID, again: Bool) {
        if again { counters.resent += 1 }
        if link != self.link { turn(to: link) }
        traffic.wrote(stream)
    }

    mutating func answered(_ status: Int, on link: LinkID) {
        if link != self.link { turn(to: link) }
        traffic.answered(status: status)
    }

    mutating func ended(_ record: PushRecord, with outcome: OutcomeReceiver.Outcome, _ now: MonotonicInstant) {
        counters.count(outcome)
        guard sample == nil, case .success = outcome else { return }
        sample = record.times.taken(at: now)
    }

    /// A push is about to end with its answer. Those whose timeout counts from their call are sampled when they end.
    mutating func sampleAnswer(to record: PushRecord, writtenAt: MonotonicInstant, _ now: MonotonicInstant) {
        guard sample == nil, record.times.taken(at: now) == nil else { return }
        sample = writtenAt.duration(to: now)
    }

    mutating func reset(_ reset: Resets, on link: LinkID) {
        if !reset.isOurs { counters.resets += 1 }
        if let last = resets.indices.last, resets[last].link == link, resets[last].sum.merge(reset) { return }
        resets.append((link, reset))
    }

    var hasFrames: Bool { !traffic.isEmpty || !aside.isEmpty || !resets.isEmpty }

    /// Moves the frames so far to the flight recorder.
    mutating func moveFrames(to ring: inout FlightRing, _ now: MonotonicInstant) {
        for (link, sum) in aside { ring.add(.traffic(sum), link: link.number, at: now) }
        if !traffic.isEmpty { ring.add(.traffic(traffic), link: link.number, at: now) }
        for (link, sum) in resets { ring.add(.resets(sum), link: link.number, at: now) }
        traffic = Traffic()
        if !aside.isEmpty { aside = [] }
        if !resets.isEmpty { resets = [] }
    }

    /// Begins the next burst. The frames were moved before.
    mutating func removeCounts() {
        counters = ConnectionCounters()
        sample = nil
    }

    private mutating func turn(to other: LinkID) {
        if !traffic.isEmpty { aside.append((link, traffic)) }
        link = other
        traffic = Traffic()
        guard let index = aside.firstIndex(where: { $0.link == other }) else { return }
        traffic = aside.remove(at: index).sum
    }
}
