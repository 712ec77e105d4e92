import ProcessRuntime

/// The pushes of a bulk that have no outcome. A slot is reused once its push has ended, so there are never more slots
/// than the bulk's window, and one for each stream that stays open for a late end.
struct BulkSlots {
    private struct Slot {
        var record: PushRecord?
        var index: Int
        var refusal: BulkRefusal?
    }

    private var slots: [Slot] = []
    private var free: [Int] = []

    /// Stores a push; returns its ticket.
    mutating func insert(_ record: PushRecord, index: Int) -> Int {
        if let ticket = free.popLast() {
            slots[ticket] = Slot(record: record, index: index)
            return ticket
        }
        slots.append(Slot(record: record, index: index))
        return slots.count - 1
    }

    /// Removes a push; returns its index and what it was refused with, or nil if it is already gone.
    ///
    /// - Parameter keepsTicket: Whether its late end follows: ``free(_:)`` then frees the ticket.
    mutating func remove(
        _ ticket: Int, keepsTicket: Bool = false
    ) -> (index: Int, record: PushRecord, refusal: BulkRefusal?)? {
        guard let record = slots[ticket].record.take() else { return nil }
        if !keepsTicket { free(ticket) }
        return (slots[ticket].index, record, slots[ticket].refusal.take())
    }

    /// The ticket of a push that was removed may be another's.
    mutating func free(_ ticket: Int) { free.append(ticket) }

    /// Keeps that a push was refused, and is not over. Returns all that is known of that.
    mutating func refuse(
        _ ticket: Int, _ response: PushResponse, attempts: Int, _ now: MonotonicInstant
    ) -> BulkRefusal? {
        guard slots[ticket].record != nil else { return nil }
        let earlier = slots[ticket].refusal
        let refusal = BulkRefusal(
            response: response, attempts: attempts + (earlier?.attempts ?? 0), since: earlier?.since ?? now,
            times: (earlier?.times ?? 0) + 1)
        slots[ticket].refusal = refusal
        return refusal
    }

    /// The stored push; nil if it is gone.
    func record(of ticket: Int) -> PushRecord? { slots[ticket].record }

    /// Another push, with another id, takes the place of one that was refused.
    mutating func replace(_ ticket: Int, by record: PushRecord) { slots[ticket].record = record }

    /// The stored pushes, in no particular order.
    var records: [PushRecord] { slots.compactMap(\.record) }
}

/// What is known of a push that was refused for a reason that is neither its own nor its device's.
final class BulkRefusal: Sendable {
    // A reference, because nearly no push has one.

    /// The latest answer.
    let response: PushResponse
    /// How often the push was written.
    let attempts: Int
    /// When it was first refused.
    let since: MonotonicInstant
    let times: Int

    init(response: PushResponse, attempts: Int, since: MonotonicInstant, times: Int) {
        self.response = response
        self.attempts = attempts
        self.since = since
        self.times = times
    }
}

extension PushRecord {
    /// What the answer judges, if that is neither this push nor its device; else nil.
    func refusal(in response: PushResponse) -> PushResponse.Subject? {
        // A broadcast names its bundle id.
        response.refusal(namesTopic: notification.topic != nil || head.template.route != nil)
    }
}
