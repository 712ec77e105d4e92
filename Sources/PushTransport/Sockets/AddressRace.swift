import Glibc

/// Which of a host's addresses is tried when, after RFC 8305 ("Happy Eyeballs"): decided purely, with events in, actions
/// out and the time as an argument.
///
/// The families take turns, beginning with the one the resolver prefers (section 4). The next address is tried 250 ms after
/// the one before it, or at once where that one failed (section 5). The first that is connected wins, the others are
/// closed. Four are under way at most: where a fifth is due, the oldest gives way to it after two seconds.
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
        /// Begin to connect to the address of this index.
        case connect(Int)
        /// Give this one up.
        case close(Int)
        /// Send a `tick` at this time, in place of any earlier one.
        case wake(at: Duration)
        /// This one is the connection.
        case won(Int)
        /// None is left.
        case lost
    }

    /// A try that failed: its address by index, and why.
    struct Failure: Equatable {
        let index: Int
        let number: Int32
    }

    static let delay = Duration.milliseconds(250)
    /// How long an attempt is let alone while others wait for its place.
    static let patience = Duration.seconds(2)
    static let mostAtOnce = 4
    static let mostAddresses = 16

    /// In the order they are tried.
    let addresses: [SocketAddress]
    private(set) var failures: [Failure] = []
    private var running: [(index: Int, since: Duration)] = []
    private var next = 0
    private var nextStart = Duration.zero
    private var isOver = false

    /// - Parameter resolved: the host's addresses, the preferred first. Of more than 16 the rest is left out.
    init(_ resolved: [SocketAddress]) {
        addresses = Array(Self.interleaved(resolved).prefix(Self.mostAddresses))
    }

    /// - Parameter now: the time since any fixed moment; it never goes back.
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

    /// Begins what is due, and says when the next is.
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

    /// The families in turn, each in its own order, the first one's first.
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
