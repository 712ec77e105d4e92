import PushLocking

/// The state that a ``ManualTime`` and its timers share: the current instant and the armed timers.
struct ManualSchedule {
    /// The order of firing: by instant, then by order of arming. The number is unique, so it also identifies an arming.
    struct Key: Comparable {
        let instant: MonotonicInstant
        let number: Int

        static func < (left: Key, right: Key) -> Bool {
            left.instant != right.instant ? left.instant < right.instant : left.number < right.number
        }
    }

    struct Entry {
        let key: Key
        /// Weak, so that releasing a timer cancels it, as with ``SystemTimer``.
        weak var timer: ManualTimer?
    }

    struct Waiter {
        let id: Int
        let count: Int
        let instant: MonotonicInstant
        let continuation: CheckedContinuation<MonotonicInstant?, Never>
    }

    private(set) var now: MonotonicInstant
    var wallClockNanoseconds: Int64
    /// Ascending by key.
    private(set) var armed: [Entry] = []
    /// The current arming of each timer, by timer id. It is armed, or has fired and waits for the queue.
    private var current: [Int: Key] = [:]
    private var lastNumber = 0
    var waiters: [Waiter] = []

    init(now: MonotonicInstant, wallClockNanoseconds: Int64) {
        self.now = now
        self.wallClockNanoseconds = wallClockNanoseconds
    }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func move(to instant: MonotonicInstant) {
        guard instant > now else { return }
        let (sum, overflow) = wallClockNanoseconds.addingReportingOverflow(
            now.duration(to: instant).saturatedNanoseconds)
        wallClockNanoseconds = overflow ? .max : sum
        now = instant
    }

    /// Arms a timer. Returns true if its instant has passed and it must fire now.
    mutating func arm(_ timer: ManualTimer, at instant: MonotonicInstant) -> Bool {
        disarm(timer.id)
        let key = Key(instant: instant, number: nextNumber())
        current[timer.id] = key
        guard instant > now else { return true }
        armed.insert(Entry(key: key, timer: timer), at: position(of: key))
        return false
    }

    mutating func disarm(_ id: Int) {
        guard let key = current.removeValue(forKey: id) else { return }
        let index = position(of: key)
        if index < armed.count, armed[index].key == key { armed.remove(at: index) }
    }

    func arming(of id: Int) -> Int? { current[id]?.number }

    /// Returns true once, if the arming is still the timer's current one.
    mutating func takeArming(_ number: Int, of id: Int) -> Bool {
        guard current[id]?.number == number else { return false }
        current[id] = nil
        return true
    }

    mutating func takeNext(notAfter end: MonotonicInstant) -> ManualTimer? {
        while let first = armed.first, first.key.instant <= end {
            armed.removeFirst()
            guard let timer = first.timer else { continue }
            move(to: first.key.instant)
            return timer
        }
        return nil
    }

    mutating func takeSatisfiedWaiters() -> [Waiter] {
        guard !waiters.isEmpty else { return [] }
        let satisfied = waiters.filter { waiter in
            armed.prefix { $0.key.instant <= waiter.instant }.count >= waiter.count
        }
        waiters.removeAll { waiter in satisfied.contains { $0.id == waiter.id } }
        return satisfied
    }

    private func position(of key: Key) -> Int {
        var low = 0
        var high = armed.count
        while low < high {
            let middle = (low + high) / 2
            if armed[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Locked<ManualSchedule> {
    func resumeSatisfiedWaiters() {
        let (waiters, earliest) = withLock { ($0.takeSatisfiedWaiters(), $0.armed.first?.key.instant) }
        for waiter in waiters { waiter.continuation.resume(returning: earliest) }
    }
}
