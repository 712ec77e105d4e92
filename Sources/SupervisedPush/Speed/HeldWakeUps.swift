import Glibc
import ProcessRuntime

/// The wake-ups of connections that wait until the completions of a batch have returned, or the tasks of a batch have
/// run.
///
/// A completion or a resumed task often makes the next push. If each of these woke its connection, the connection would
/// write a few pushes at a time. Its thread and the callers' would interrupt each other: on a core that both share, a
/// push then costs up to a fifth more. So a connection is woken once for the pushes of a batch, unless it looks by
/// itself before.
///
/// A completion or a task may block. Therefore a wake-up waits for 5 ms at most, and no longer than until another caller
/// pushes. Tasks have no identity here: while a batch of them runs, a push that any task waits for counts as theirs.
struct HeldWakeUps {
    /// Smaller batches gain nothing.
    static let smallestBatch = 16
    static let longest = Duration.milliseconds(5)

    /// Who pushes.
    enum Caller: Equatable {
        case thread(pthread_t)
        /// A task that waits for the answer.
        case task
    }

    /// The threads that call the completions of a batch: one for each connection of a pool.
    private var threads: [pthread_t] = []
    /// How many batches of tasks were resumed and may not have run.
    private var tasks = 0
    private var holders: [WaitingRoom.HolderID] = []
    /// When they are woken at the latest; nil if none waits.
    private(set) var end: MonotonicInstant?

    /// This thread calls the completions of a batch from now on.
    mutating func begin(on thread: pthread_t) { threads.append(thread) }

    /// Tasks are resumed from now on.
    mutating func beginTasks() { tasks += 1 }

    /// A caller has offered pushes, with these effects.
    mutating func offered(by caller: Caller, _ now: MonotonicInstant, _ effects: inout RoomEffects) {
        guard !threads.isEmpty || tasks > 0 else { return }
        guard isInBatch(caller) else { return release(&effects) }
        if effects.woken != WaitingRoom.nobody, effects.rest == nil {
            holders.append(effects.takeWoken())
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

    /// The completions that this thread called have returned.
    mutating func finish(on thread: pthread_t, _ effects: inout RoomEffects) {
        guard let index = threads.firstIndex(of: thread) else { return }
        threads.remove(at: index)
        release(&effects)
    }

    /// The tasks have run, or run now.
    mutating func finishTasks(_ effects: inout RoomEffects) {
        tasks -= 1
        release(&effects)
    }

    private func isInBatch(_ caller: Caller) -> Bool {
        switch caller {
        case .thread(let thread): threads.contains(thread)
        case .task: tasks > 0
        }
    }

    private mutating func release(_ effects: inout RoomEffects) {
        for holder in holders { effects.wake(holder) }
        holders.removeAll(keepingCapacity: true)
        end = nil
    }
}
