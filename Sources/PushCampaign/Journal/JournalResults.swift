import SupervisedPush

/// Lines that have their outcome, until the journal has it: grouped by outcome and reason, which most lines share.
package struct JournalResults: Sendable {
    package struct Key: Hashable, Sendable {
        package var kind: PushOutcome.Kind
        package var reason: String?

        /// Whether the line needs no other push.
        var isDone: Bool { PushOutcome(kind, reason: reason).isDone }
    }

    struct Group: Sendable {
        var count = 0
        /// The lines as a JSON array.
        var lines: [UInt8] = []

        fileprivate mutating func add(_ line: Int) {
            count += 1
            JournalText.append(line, to: &lines)
        }
    }

    private var delivered = Group()
    private var others: [Key: Group] = [:]
    private(set) var count = 0

    init() {}

    mutating func add(line: Int, _ kind: PushOutcome.Kind, reason: String?) {
        count += 1
        // Nearly all of them; and a dictionary of strings costs more than the rest.
        if kind == .delivered { return delivered.add(line) }
        others[Key(kind: kind, reason: reason), default: Group()].add(line)
    }

    /// Returns all groups, and forgets them.
    mutating func takeAll() -> [(key: Key, group: Group)] {
        var all = others.map { (key: $0.key, group: $0.value) }
        if delivered.count > 0 { all.append((key: Key(kind: .delivered), group: delivered)) }
        self = JournalResults()
        for index in all.indices { all[index].group.lines.append(JournalText.closeBracket) }
        return all
    }
}
