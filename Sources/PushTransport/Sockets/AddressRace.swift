import Glibc

/// Decides which of a host's addresses to try when, after RFC 8305 ("Happy Eyeballs"). Pure: events in, actions out,
/// with the time as an argument.
///
/// The address families alternate, beginning with the one that the resolver prefers (section 4). The next address is
/// tried 250 ms after the previous one, or at once if that one failed (section 5). The first address to connect wins,
/// and the others are closed. At most four attempts run. When a fifth is due, the oldest gives way to it once it is two
/// seconds old.
struct AddressRace {
    enum Event: Equatable {
        case start
        /// This address is connected.
        case connected(Int)
        /// This address failed with an errno.
        case failed(Int, Int32)
        /// Time passed.
        case tick
    }

    enum Action: Equatable {
        /// Start connecting to the address with this index.
        case connect(Int)
        /// Abandon this address.
        case close(Int)
        /// Send a `tick` at this time; replaces any earlier one.
        case wake(at: Duration)
        /// This address is the connection.
        case won(Int)
        /// All addresses failed.
        case lost
    }

    /// A failed attempt: the index of its address, and the errno.
    struct Failure: Equatable {
        let index: Int
        let number: Int32
    }

    static let delay = Duration.milliseconds(250)
    /// The age at which an attempt may be abandoned for another one.
    static let patience = Duration.seconds(2)
    static let mostAtOnce = 4
    static let mostAddresses = 16

    /// In the order in which they are tried.
    let addresses: [SocketAddress]
    private(set) var failures: [Failure] = []
    private var running: [(index: Int, since: Duration)] = []
    private var next = 0
    private var nextStart = Duration.zero
    private var isOver = false

    /// - Parameter resolved: The host's addresses, the preferred first. Only 16 are used.
    init(_ resolved: [SocketAddress]) {
        addresses = Array(Self.interleaved(resolved).prefix(Self.mostAddresses))
    }

    /// - Parameter now: The time since any fixed moment; it never goes back.
    mutating func handle(_ event: Event, _ now: Duration) -> [Action] {
        guard !isOver else { return [] }
        switch event {
        case .start, .tick: return go(now)
        case .connected(let index): return win(index)
        case .failed(let index, let number):
            guard let place = running.firstIndex(where: { $0.index == index }) else { return [] }
            running.remove(at: place)
            failures.append(Failure(index: index, number: number))
            nextStart = now
            return go(now)
        }
    }

    private mutating func win(_ index: Int) -> [Action] {
        guard running.contains(where: { $0.index == index }) else { return [] }
        isOver = true
        return [.won(index)] + running.filter { $0.index != index }.map { .close($0.index) }
    }

    /// Starts the attempts that are due and schedules the next.
    private mutating func go(_ now: Duration) -> [Action] {
        var actions: [Action] = []
        while next < addresses.count {
            guard running.isEmpty || nextStart <= now else { return actions + [.wake(at: nextStart)] }
            if running.count == Self.mostAtOnce {
                let oldest = running[0]
                let until = oldest.since + Self.patience
                guard until <= now else { return actions + [.wake(at: until)] }
                running.removeFirst()
                failures.append(Failure(index: oldest.index, number: ETIMEDOUT))
                actions.append(.close(oldest.index))
            }
            running.append((next, now))
            actions.append(.connect(next))
            nextStart = now + Self.delay
            next += 1
        }
        guard running.isEmpty else { return actions }
        isOver = true
        return actions + [.lost]
    }

    /// Alternates the families, beginning with that of the first address. Each family keeps its order.
    private static func interleaved(_ resolved: [SocketAddress]) -> [SocketAddress] {
        guard let first = resolved.first else { return [] }
        let preferred = resolved.filter { $0.family == first.family }
        let others = resolved.filter { $0.family != first.family }
        var result: [SocketAddress] = []
        for turn in 0..<max(preferred.count, others.count) {
            if turn < preferred.count { result.append(preferred[turn]) }
            if turn < others.count { result.append(others[turn]) }
        }
        return result
    }
}
