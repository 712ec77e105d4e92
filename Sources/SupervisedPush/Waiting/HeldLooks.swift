import Glibc
import ProcessRuntime

/// The wake-ups of connections that wait until the completions of a batch have returned.
///
/// A completion often makes the next push. If each of these woke its connection, the connection would write a few
/// pushes at a time. Its thread and the one that calls the completions would interrupt each other: on a core that both
/// share, a push then costs up to a fifth more. So a connection is woken once for the pushes of a batch, unless it looks
/// by itself before.
///
/// A completion may block. Therefore a wake-up waits for 5 ms at most, and no longer than until another thread pushes.
struct HeldLooks {
    /// Smaller batches gain nothing.
    static let smallestBatch = 16
    static let longest = Duration.milliseconds(5)

    /// The thread that calls the completions of a batch.
    private var thread: pthread_t?
    private var holders: [WaitingRoom.HolderID] = []
    /// When they are woken at the latest; nil if none waits.
    private(set) var end: MonotonicInstant?

    /// This thread calls the completions of a batch from now on.
    mutating func begin(on thread: pthread_t) { self.thread = thread }

    /// A thread has offered pushes, with these effects.
    mutating func offered(by thread: pthread_t, _ now: MonotonicInstant, _ effects: inout RoomEffects) {
        guard let own = self.thread else { return }
        guard own == thread else { return release(&effects) }
        if effects.look != WaitingRoom.nobody, effects.rest == nil {
            holders.append(effects.takeLook())
            if end == nil { end = now.advanced(by: Self.longest) }
        }
        tick(now, &effects)
    }

    /// The connection has looked by itself, or takes no more pushes.
    mutating func looked(_ id: WaitingRoom.HolderID) {
        guard end != nil else { return }
        holders.removeAll { $0 == id }
        if holders.isEmpty { end = nil }
    }

    mutating func tick(_ now: MonotonicInstant, _ effects: inout RoomEffects) {
        if let end, end <= now { release(&effects) }
    }

    /// The completions have returned.
    mutating func finish(_ effects: inout RoomEffects) {
        thread = nil
        release(&effects)
    }

    private mutating func release(_ effects: inout RoomEffects) {
        for holder in holders { effects.wake(holder) }
        holders.removeAll(keepingCapacity: true)
        end = nil
    }
}
