import PushLocking

/// The errors of pushes for which a queue has no room. In an overload they follow each other and say the same, so that
/// they share one.
final class OverloadErrors: Sendable {
    private let latest = Locked<PushError?>(nil)

    /// - Parameters:
    ///   - isBudget: Whether the name's own limits have room.
    ///   - outage: Why no link is up. It is asked under the lock, so that ``standingChanged()`` follows a change that it
    ///     did not see.
    func error(_ load: ConnectionLoad, isBudget: Bool, of id: PushID, _ outage: () -> Outage?) -> PushError {
        latest.withLock { latest in
            if let latest, latest.isOverloaded(load, isBudget: isBudget) { return latest.of(id) }
            let error = PushError.overloaded(load, isBudget: isBudget, outage: outage(), pushID: id)
            latest = error
            return error
        }
    }

    /// The outage may have changed.
    func standingChanged() { latest.withLock { $0 = nil } }
}
