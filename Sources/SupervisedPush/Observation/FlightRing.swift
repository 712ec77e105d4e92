import ProcessRuntime

/// One entry of the flight recorder: its time, its link, its event.
struct FlightEntry: Equatable, Sendable {
    var instant: MonotonicInstant
    /// The link's number within its process; 0 for an event without a link.
    var link: UInt32
    var event: FlightEvent
}

/// The last events of a connection, up to a limit: a value that overwrites its oldest entry.
///
/// Frequent events are summed up: traffic of one link, and resets of one kind, share an entry per second, so that busy
/// minutes leave room for the frames that matter.
struct FlightRing: Sendable {
    /// How much time one entry sums up.
    static let window = Duration.seconds(1)

    let limit: Int
    private var entries: [FlightEntry] = []
    /// The place of the oldest entry, once the ring is full.
    private var oldest = 0
    private(set) var overwritten = 0
    /// The process that the oldest entry belongs to.
    private(set) var oldestProcess: ProcessID?

    /// A ring with this many entries; 0 keeps nothing.
    init(limit: Int) { self.limit = max(0, limit) }

    mutating func add(_ event: FlightEvent, link: UInt32, at instant: MonotonicInstant) {
        guard limit > 0, !merge(event, link, instant) else { return }
        let entry = FlightEntry(instant: instant, link: link, event: event)
        if entries.count < limit { return entries.append(entry) }
        if case .processBegan(let pid) = entries[oldest].event { oldestProcess = pid }
        entries[oldest] = entry
        oldest = (oldest + 1) % limit
        overwritten += 1
    }

    /// The entries, oldest first.
    var all: [FlightEntry] { Array(entries[oldest...] + entries[..<oldest]) }

    /// Adds to the newest entry, if that sums up the same kind.
    private mutating func merge(_ event: FlightEvent, _ link: UInt32, _ instant: MonotonicInstant) -> Bool {
        let newest = oldest > 0 ? oldest - 1 : entries.count - 1
        guard newest >= 0, entries[newest].link == link, entries[newest].instant.duration(to: instant) < Self.window
        else { return false }
        switch (entries[newest].event, event) {
        case (.traffic(var sum), .traffic(let more)):
            sum.merge(more)
            entries[newest].event = .traffic(sum)
            return true
        case (.resets(var sum), .resets(let more)):
            guard sum.merge(more) else { return false }
            entries[newest].event = .resets(sum)
            return true
        default:
            return false
        }
    }
}
