import DequeModule

/// The newest pushes, in order, within limits.
struct PushRing: Sendable {
    private(set) var pushes: Deque<InboxPush> = []
    /// About what they take in memory.
    private(set) var bytes = 0
    /// The number of the next push.
    private(set) var next = 1
    /// How many made room for others.
    private(set) var evicted = 0
    private let limits: InboxLimits

    init(limits: InboxLimits) { self.limits = limits }

    mutating func append(_ content: InboxPush.Content) -> InboxPush {
        let push = InboxPush(number: next, content)
        next += 1
        pushes.append(push)
        bytes += push.keptBytes
        while pushes.count > max(1, limits.pushes) || bytes > limits.bytes && pushes.count > 1 { evictFirst() }
        return push
    }

    /// Drops what is too old.
    mutating func expire(now wallClock: Int64) {
        guard let age = limits.age else { return }
        let oldest = wallClock - Int64(min(max(age / .milliseconds(1), 0), 1e15))
        while let first = pushes.first, first.wallClock < oldest { evictFirst() }
    }

    private mutating func evictFirst() {
        guard let first = pushes.popFirst() else { return }
        bytes -= first.keptBytes
        evicted += 1
    }

    mutating func removeAll(where matches: (InboxPush) -> Bool) -> Int {
        let count = pushes.count
        pushes.removeAll(where: matches)
        bytes = pushes.reduce(0) { $0 + $1.keptBytes }
        return count - pushes.count
    }

    /// The push with this number; nil if it is not kept.
    func push(numbered number: Int) -> InboxPush? {
        let index = index(after: number - 1)
        return index < pushes.endIndex && pushes[index].number == number ? pushes[index] : nil
    }

    /// The position of the first push with a greater number.
    func index(after number: Int) -> Int {
        var (low, high) = (pushes.startIndex, pushes.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if pushes[middle].number <= number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// At most `limit` pushes after `number`, oldest first.
    func after(_ number: Int, limit: Int = .max) -> [InboxPush] {
        let start = index(after: number)
        return Array(pushes[start..<(pushes.endIndex - start > limit ? start + limit : pushes.endIndex)])
    }
}
