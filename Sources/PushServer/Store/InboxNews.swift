import PushSimulator

/// How far a reader of the event stream has come.
struct InboxPosition: Sendable {
    /// The number of the last push.
    var push: Int
    /// The number of the last event of a connection.
    var event: Int
    /// What was seen of other changes.
    var changes: [InboxStore.Part: Int] = [:]

    /// The id of an event: `12-5`.
    var text: String { "\(push)-\(event)" }

    init(push: Int, event: Int, changes: [InboxStore.Part: Int] = [:]) {
        self.push = push
        self.event = event
        self.changes = changes
    }

    /// Reads the id of an event; nil if it is none.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let push = Int(parts[0]), let event = Int(parts[1]), push >= 0, event >= 0 else {
            return nil
        }
        self.init(push: push, event: event)
    }
}

/// What came after a position.
struct InboxNews: Sendable {
    let pushes: [InboxPush]
    let events: [InboxStore.NumberedEvent]
    let parts: [InboxStore.Part]
    /// The position after all of it.
    let position: InboxPosition
    /// How many pushes came that are not kept any more.
    let lost: Int
    let isClosed: Bool

    var isEmpty: Bool { pushes.isEmpty && events.isEmpty && parts.isEmpty }
}

/// The counters of an inbox since it began. A reset does not lower them.
struct InboxTotals: Sendable {
    var accepted = 0
    /// Refusals by reason.
    var refusals: [String: Int] = [:]
    var kept = 0
    var keptBytes = 0
    var evicted = 0
    /// The number that the next push gets.
    var next = 1

    mutating func add(_ push: InboxPush) {
        if let refusal = push.refusal {
            refusals[refusal.rawValue, default: 0] += 1
        } else {
            accepted += 1
        }
    }
}
