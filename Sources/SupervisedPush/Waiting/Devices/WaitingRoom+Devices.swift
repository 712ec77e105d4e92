import ProcessRuntime

/// Pushes that wait for their device: for their turn, or until it may be pushed to again.
extension WaitingRoom {
    /// Adds a push to its device's queue, if it asks for that or the device is throttled. False if it need not wait
    /// there.
    mutating func joinDeviceQueue(_ slot: Int32) -> Bool {
        guard let push = table[slot] else { return false }
        let (record, recipient) = (push.record, push.record.recipient)
        let opening = record.policy.waitsForThrottle && !push.isProbe ? throttle.opening(of: recipient) : nil
        guard record.policy.ordered == .perDevice || opening != nil else { return false }
        guard let behind = deviceQueues[recipient] else {
            deviceQueues.begin(recipient)
            table[slot]?.hasTurn = true
            if let opening { pause(slot, until: opening) }
            return opening != nil
        }
        enterQueue(slot, for: recipient, behind: behind)
        return true
    }

    private mutating func enterQueue(_ slot: Int32, for recipient: Recipient, behind: SlotList) {
        let number = callNumber(of: slot)
        var before = behind.last
        while before >= 0, callNumber(of: before) > number { before = places.previous(before: before) }
        deviceQueues.enter(slot, for: recipient, after: before, in: &places)
        deferPush(slot, place: .line, until: nil)
    }

    /// True if an earlier push to its device, whose order it asks for, has not ended.
    func mustWaitForDevice(_ record: PushRecord) -> Bool {
        record.policy.ordered == .perDevice && deviceQueues.holds(record.recipient)
    }

    /// A push that had its turn has ended; the next one has its turn.
    mutating func passTurn(of recipient: Recipient) {
        guard let next = deviceQueues.pass(recipient, in: &places) else { return }
        deferredCount -= 1
        table[next]?.hasTurn = true
        if table[next]?.record.policy.waitsForThrottle == true, let opening = throttle.opening(of: recipient) {
            // If that time is over already, the next tick handles it.
            pause(next, until: opening)
        } else {
            returnToReady(next)
        }
    }

    // MARK: Pauses

    /// The pause before a retry. The push keeps its turn, if it has one; otherwise it enters the queue of a throttled
    /// device.
    mutating func pauseBeforeRetry(_ slot: Int32, until end: MonotonicInstant) {
        guard let push = table[slot] else { return }
        let recipient = push.record.recipient
        if !push.hasTurn, throttle.opening(of: recipient) != nil {
            if let behind = deviceQueues[recipient] { return enterQueue(slot, for: recipient, behind: behind) }
            deviceQueues.begin(recipient)
            table[slot]?.hasTurn = true
        }
        pause(slot, until: end)
    }

    mutating func pause(_ slot: Int32, until end: MonotonicInstant) { deferPush(slot, place: .paused, until: end) }

    /// Defers a push that is in no list. The caller adds it to a list or a queue.
    ///
    /// Its limit becomes the end of the pause, if that is earlier, so one deadline queue has both.
    mutating func deferPush(_ slot: Int32, place: WaitingPush.Place, until end: MonotonicInstant?) {
        guard let push = table[slot] else { return }
        var limit = push.record.times.whileWaiting
        if let end, end < limit.instant { limit = PushTimes.Limit(instant: end, kind: limit.kind) }
        let isNewLimit = limit != push.limit
        table[slot]?.place = place
        table[slot]?.limit = limit
        deferredCount += 1
        if isNewLimit { deadlines.insert(slot, of: table) }
    }

    /// Moves a deferred push to the ready ones.
    mutating func returnFromDeferral(_ slot: Int32) {
        guard let push = table[slot] else { return }
        leavePlace(slot, push: push)
        // It no longer matters which connection refused its streams.
        if push.place == .refused { table[slot]?.holder = Self.nobody }
        returnToReady(slot)
    }
}

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
