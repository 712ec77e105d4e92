import DequeModule

/// What waits for a process, and whether a drain is on its way. Reached only under the cell's lock.
struct Inbox<Message: Sendable> {
    var messages = Deque<Message>()
    var exitRequests = Deque<ExitRequest>()
    private(set) var isOpen = true
    /// Something was put into the cell's `urgent` since the last drain began.
    private var hasUrgent = false
    /// A drain is queued or running; it looks here again before it ends.
    private var isScheduled = true
    private var sentCount = 0

    /// Returns whether a drain must be scheduled; nil if the process has ended.
    mutating func append(_ message: Message) -> Bool? {
        guard isOpen else { return nil }
        messages.append(message)
        sentCount += 1
        return schedule()
    }

    mutating func append(_ reason: ExitReason) -> Bool {
        guard isOpen else { return false }
        exitRequests.append(ExitRequest(position: sentCount, reason: reason))
        return schedule()
    }

    mutating func noteUrgent() -> Bool {
        guard isOpen else { return false }
        hasUrgent = true
        return schedule()
    }

    /// Hands over what waits, for empty deques whose storage is used again.
    mutating func swap(_ messages: inout Deque<Message>, _ exitRequests: inout Deque<ExitRequest>) {
        Swift.swap(&self.messages, &messages)
        Swift.swap(&self.exitRequests, &exitRequests)
        hasUrgent = false
    }

    /// At the end of a drain: returns whether another one must follow.
    mutating func endDrain(hasLeftovers: Bool) -> Bool {
        isScheduled = hasLeftovers || hasUrgent || !messages.isEmpty || !exitRequests.isEmpty
        return isScheduled
    }

    /// Refuses everything from now on. Returns what nobody will read, to be released outside the lock.
    mutating func close() -> Inbox {
        let unread = self
        messages = []
        exitRequests = []
        isOpen = false
        return unread
    }

    private mutating func schedule() -> Bool {
        defer { isScheduled = true }
        return !isScheduled
    }
}
