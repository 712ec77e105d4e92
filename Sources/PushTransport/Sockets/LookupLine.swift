/// Which names are looked up at a time.
///
/// Two lookups run beside each other, first come, first served. One that takes longer than a second counts no more among these two, so that
/// another takes its place, up to sixteen. Its name is remembered, and goes behind all others the next time, until it answers in
/// time: such names have fourteen of the sixteen places at most.
struct LookupLine {
    /// Names a lookup that runs.
    struct Ticket: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Running {
        let host: String
        /// It has been slow this time, or was the last time.
        var isSlow: Bool
        /// It has been slow this time.
        var wasSlow = false
    }

    static let limit = 16
    static let promptLimit = 2
    static let slowLimit = limit - promptLimit
    /// How many names are remembered.
    static let memory = 1_000

    private var prompt: [String] = []
    private var slow: [String] = []
    private var lookups: [Ticket: Running] = [:]
    private var slowNames: Set<String> = []
    private var latest = 0

    /// How many lookups run.
    var running: Int { lookups.count }

    private var promptRunning: Int { lookups.values.count { !$0.isSlow } }

    /// A name waits from now on.
    mutating func join(_ host: String) {
        if slowNames.contains(host) { slow.append(host) } else { prompt.append(host) }
    }

    /// Nobody waits any more.
    mutating func removeWaiting() { (prompt, slow) = ([], []) }

    private var promptMayBegin: Bool { !prompt.isEmpty && promptRunning < Self.promptLimit }

    private var slowMayBegin: Bool { !slow.isEmpty && running - promptRunning < Self.slowLimit }

    /// Whether a name that waits may be looked up now.
    var mayBegin: Bool { running < Self.limit && (promptMayBegin || slowMayBegin) }

    /// The next name to be looked up; nil if none may be now.
    mutating func begin() -> (host: String, Ticket)? {
        guard mayBegin else { return nil }
        let isSlow = !promptMayBegin
        let host = isSlow ? slow.removeFirst() : prompt.removeFirst()
        latest += 1
        let ticket = Ticket(number: latest)
        lookups[ticket] = Running(host: host, isSlow: isSlow)
        return (host, ticket)
    }

    /// The lookup takes long. Nothing, if it has ended.
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

    /// It is not looked up after all.
    mutating func dropped(_ ticket: Ticket) { lookups[ticket] = nil }
}
