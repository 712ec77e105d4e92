/// The queues of devices. Of the pushes in a device's queue, one has its turn, and the others wait behind it in call
/// order.
///
/// A queue exists as long as there are pushes in it, wherever the push is that has its turn. The waiting ones are
/// threaded through the room's ``SlotLinks``.
struct PerDeviceQueues {
    private var queues: [Recipient: SlotList] = [:]

    var isEmpty: Bool { queues.isEmpty }
    var count: Int { queues.count }

    /// True if there are pushes in this device's queue.
    func holds(_ recipient: Recipient) -> Bool { queues[recipient] != nil }

    /// The pushes behind the one that has its turn; nil if there is no queue.
    subscript(recipient: Recipient) -> SlotList? { queues[recipient] }

    /// Begins a queue; its first push has its turn.
    mutating func begin(_ recipient: Recipient) { queues[recipient] = SlotList() }

    /// Adds a push to an existing queue, behind the push in another slot; -1: in front of all that wait.
    mutating func enter(_ slot: Int32, for recipient: Recipient, after before: Int32, in links: inout SlotLinks) {
        queues[recipient]?.insert(slot, after: before, in: &links)
    }

    /// Removes a waiting push.
    mutating func leave(_ slot: Int32, for recipient: Recipient, in links: inout SlotLinks) {
        queues[recipient]?.remove(slot, in: &links)
    }

    /// The push that had its turn has ended. Removes and returns the next one, which has its turn now; nil if there is
    /// none, and the queue ends.
    mutating func pass(_ recipient: Recipient, in links: inout SlotLinks) -> Int32? {
        guard let next = queues[recipient]?.first else { return nil }
        guard next >= 0 else {
            queues[recipient] = nil
            return nil
        }
        queues[recipient]?.remove(next, in: &links)
        return next
    }
}
