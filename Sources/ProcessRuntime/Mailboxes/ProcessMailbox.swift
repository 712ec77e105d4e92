import DequeModule

/// The messages and requests that wait for a process. Accessed only under the cell's lock.
struct ProcessMailbox<Message: Sendable> {
    var messages = Deque<Message>()
    var exitRequests = Deque<ExitRequest>()
    private(set) var isOpen = true
    /// The cell's `urgent` was set since the last drain began.
    private var hasUrgent = false
    /// A drain is queued or running; it checks the mailbox again before it ends.
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

    mutating func markUrgent() -> Bool {
        guard isOpen else { return false }
        hasUrgent = true
        return schedule()
    }

    /// Swaps the contents for empty deques, whose storage is reused.
    mutating func swap(_ messages: inout Deque<Message>, exitRequests: inout Deque<ExitRequest>) {
        Swift.swap(&self.messages, &messages)
        Swift.swap(&self.exitRequests, &exitRequests)
        hasUrgent = false
    }

    /// Called at the end of a drain. Returns whether another one must follow.
    mutating func endDrain(hasLeftovers: Bool) -> Bool {
        isScheduled = hasLeftovers || hasUrgent || !messages.isEmpty || !exitRequests.isEmpty
        return isScheduled
    }

    /// Refuses everything from now on. Returns the unread contents, which must be released outside the lock.
    mutating func close() -> ProcessMailbox {
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

/// A request to end, at its place among the messages. Not nested in the generic mailbox, so that the check after each
/// message needs no metadata at run time.
struct ExitRequest {
    /// How many messages come before it, counted from the first one ever sent.
    let position: Int
    let reason: ExitReason
}
