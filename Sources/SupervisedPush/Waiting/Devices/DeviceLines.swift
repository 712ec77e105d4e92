/// The lines in front of devices: of the pushes that stand in the line of a device, one has its turn, the others wait
/// behind it in call order.
///
/// A line lasts as long as there are pushes in it, wherever the one is that has its turn. The places of those behind
/// are threaded through the room's ``SlotLinks``.
struct DeviceLines {
    private var lines: [Recipient: SlotList] = [:]

    var isEmpty: Bool { lines.isEmpty }
    var count: Int { lines.count }

    /// True if pushes stand in the line of this device.
    func holds(_ recipient: Recipient) -> Bool { lines[recipient] != nil }

    /// Those behind the one that has its turn; nil if there is no line.
    subscript(recipient: Recipient) -> SlotList? { lines[recipient] }

    /// Begins a line: whoever does has its turn.
    mutating func begin(_ recipient: Recipient) { lines[recipient] = SlotList() }

    /// Puts a push into a line that exists, behind the push in another slot; -1: in front of all that wait there.
    mutating func enter(_ slot: Int32, _ recipient: Recipient, after before: Int32, _ links: inout SlotLinks) {
        lines[recipient]?.insert(slot, after: before, &links)
    }

    /// Takes a push out that stands behind.
    mutating func leave(_ slot: Int32, _ recipient: Recipient, _ links: inout SlotLinks) {
        lines[recipient]?.remove(slot, &links)
    }

    /// The push that had its turn has ended: takes the next one out of those behind, whose turn it is now; nil if there
    /// is none, and the line is gone.
    mutating func pass(_ recipient: Recipient, _ links: inout SlotLinks) -> Int32? {
        guard let next = lines[recipient]?.first else { return nil }
        guard next >= 0 else {
            lines[recipient] = nil
            return nil
        }
        lines[recipient]?.remove(next, &links)
        return next
    }
}
