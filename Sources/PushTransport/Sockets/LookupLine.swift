/// Decides which names are looked up at a time.
///
/// Two lookups run concurrently, first come, first served. A lookup that takes longer than a second is slow and no
/// longer counts among these two, so another starts, up to sixteen in total. Slow names are remembered. Until such a
/// name answers in time, it waits behind all others, and slow names use at most fourteen of the sixteen places.
struct LookupLine {
    /// Identifies a running lookup.
    struct Ticket: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Running {
        let host: String
        /// This lookup is slow, or its name was slow last time.
        var isSlow: Bool
        /// This lookup is slow.
        var wasSlow = false
    }

    static let limit = 16
    static let promptLimit = 2
    static let slowLimit = limit - promptLimit
    /// How many slow names are remembered.
    static let memory = 1_000

    private var prompt: [String] = []
    private var slow: [String] = []
    private var lookups: [Ticket: Running] = [:]
    private var slowNames: Set<String> = []
    private var latest = 0

    /// How many lookups run.
    var running: Int { lookups.count }

    private var promptRunning: Int { lookups.values.count { !$0.isSlow } }

    /// Adds a waiting name.
    mutating func join(_ host: String) {
        if slowNames.contains(host) { slow.append(host) } else { prompt.append(host) }
    }

    /// Removes all waiting names.
    mutating func removeWaiting() { (prompt, slow) = ([], []) }

    private var promptMayBegin: Bool { !prompt.isEmpty && promptRunning < Self.promptLimit }

    private var slowMayBegin: Bool { !slow.isEmpty && running - promptRunning < Self.slowLimit }

    /// Whether a waiting name may be looked up now.
    var mayBegin: Bool { running < Self.limit && (promptMayBegin || slowMayBegin) }

    /// The next name to look up; nil if none may be looked up now.
    mutating func begin() -> (host: String, Ticket)? {
        guard mayBegin else { return nil }
        let isSlow = !promptMayBegin
        let host = isSlow ? slow.removeFirst() : prompt.removeFirst()
        latest += 1
        let ticket = Ticket(number: latest)
        lookups[ticket] = Running(host: host, isSlow: isSlow)
        return (host, ticket)
    }

    /// Marks the lookup as slow. Does nothing if it has ended.
    mutating func isSlow(_ ticket: Ticket) {
        guard let lookup = lookups[ticket] else { return }
        lookups[ticket] = Running(host: lookup.host, isSlow: true, wasSlow: true)
        if slowNames.count >= Self.memory { slowNames.removeFirst() }
        slowNames.insert(lookup.host)
    }

    mutating func ended(_ ticket: Ticket) {
        guard let lookup = lookups.removeValue(forKey: ticket), !lookup.wasSlow else { return }
        slowNames.remove(lookup.host)
    }

    /// The lookup is not made after all.
    mutating func dropped(_ ticket: Ticket) { lookups[ticket] = nil }
}
