/// Pushes that go for newer ones.
extension ConnectionMachine {
    /// Drops the oldest pushes that wait, were never written, and whose callers did not have to wait for room.
    mutating func dropOldest(
        _ excess: Intake.Excess, _ load: PushError.Load, _ actions: inout [ConnectionAction]
    ) {
        var excess = excess
        guard deferredCount == 0 else {
            // Those that wait for something else than a stream count as well.
            for slot in unwritten() where !excess.isNone { drop(slot, &excess, load, &actions) }
            return
        }
        var next = table.waiting.first
        while !excess.isNone, table[next] != nil {
            let slot = next
            next = table.next(after: slot)
            drop(slot, &excess, load, &actions)
        }
    }

    private mutating func drop(
        _ slot: Int32, _ excess: inout Intake.Excess, _ load: PushError.Load, _ actions: inout [ConnectionAction]
    ) {
        guard let entry = table[slot], entry.isCounted, !entry.record.wasParked else { return }
        excess.count -= 1
        dropped += 1
        excess.bytes -= entry.record.size
        takeOut(slot)
        finish(slot, .dropped(entry.record.id, load), &actions)
    }
}
