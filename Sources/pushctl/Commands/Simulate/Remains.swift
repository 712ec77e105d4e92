import PushLocking

/// What a run must remove at its end, whichever way it ends.
final class Remains: Sendable {
    private let removals = Locked<[@Sendable () -> Void]>([])

    var isEmpty: Bool { removals.withLock { $0.isEmpty } }

    func add(_ removal: @escaping @Sendable () -> Void) { removals.withLock { $0.append(removal) } }

    /// Removes everything, the latest first. A second call does nothing.
    func remove() {
        let removals = removals.withLock { removals in
            defer { removals = [] }
            return removals
        }
        for remove in removals.reversed() { remove() }
    }
}
