/// Pushes that go for newer ones.
extension ConnectionMachine {
    /// Drops the oldest pushes that wait, were never written, and whose callers did not have to wait for room.
    mutating func dropOldest(
        _ excess: Intake.Excess, _ load: PushError.Load, _ actions: inout [ConnectionAction]
    ) {
        var excess = excess
        var next = table.waiting.first
        while !excess.isNone, let entry = table[next] {
            let slot = next
            next = table.next(after: slot)
            guard entry.isCounted, !entry.record.wasParked else { continue }
            excess.count -= 1
            excess.bytes -= entry.record.size
            table.removeWaiting(slot)
            finish(slot, .dropped(entry.record.id, load), &actions)
        }
    }
}
