import PushLocking
import Synchronization

/// Who follows what arrives: the push inbox.
extension Ledger {
    /// Whether an observer follows what arrives.
    var isObserved: Bool { hasObserver.load(ordering: .relaxed) }

    /// Adds an observer. Returns false if there is one already.
    func observe(_ observer: any SimulatorObserver) -> Bool {
        book.withLock { book in
            guard book.observer == nil else { return false }
            book.observer = observer
            hasObserver.store(true, ordering: .relaxed)
            return true
        }
    }

    /// Removes this observer, and no other one.
    func stopObserving(_ observer: any SimulatorObserver) {
        book.withLock { book in
            guard book.observer === observer else { return }
            book.observer = nil
            hasObserver.store(false, ordering: .relaxed)
        }
    }

    /// Tells the observer what happened to a connection.
    func note(_ connection: ConnectionID, _ kind: ProviderEvent.Kind, wallClock: @autoclosure () -> Int64) {
        guard isObserved, let observer = book.withLock({ $0.observer }) else { return }
        observer.noted(ProviderEvent(connection: connection, kind: kind, wallClock: wallClock()))
    }
}
