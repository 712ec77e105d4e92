/// The lines in front of devices: of the pushes that stand in the line of a device, one has its turn, the others wait
/// behind it in call order.
///
/// A line lasts as long as there are pushes in it. The places of those behind are threaded through the ``PushTable``.
struct DeviceLines {
    private struct Line {
        var behind = PushTable.List()
    }

    private var lines: [Recipient: Line] = [:]

    var isEmpty: Bool { lines.isEmpty }
    var count: Int { lines.count }

    /// True if pushes stand in the line of this device.
    func holds(_ recipient: Recipient) -> Bool { lines[recipient] != nil }

    /// Puts a push into its device's line; true if it is its turn.
    mutating func enter(_ slot: Int32, _ recipient: Recipient, _ table: inout PushTable) -> Bool {
        guard lines[recipient] != nil else {
            lines[recipient] = Line()
            return true
        }
        table.insertInCallOrder(slot, into: &lines[recipient, default: Line()].behind)
        return false
    }

    /// Takes a push out that stands behind.
    mutating func leave(_ slot: Int32, _ recipient: Recipient, _ table: inout PushTable) {
        guard lines[recipient] != nil else { return }
        table.remove(slot, from: &lines[recipient, default: Line()].behind)
    }

    /// The push that had its turn has ended: gives the turn to the next one, and takes it out of those behind; nil if
    /// there is none, and the line is gone.
    mutating func pass(_ recipient: Recipient, _ table: inout PushTable) -> Int32? {
        guard let line = lines[recipient] else { return nil }
        guard !line.behind.isEmpty else {
            lines[recipient] = nil
            return nil
        }
        let next = line.behind.first
        table.remove(next, from: &lines[recipient, default: Line()].behind)
        return next
    }
}
