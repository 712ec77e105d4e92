import SupervisedPush

extension Journal {
    /// What earlier runs have left. A record may have several outcomes, of which the latest counts: one that was refused for
    /// a reason that is neither its own nor its device's is pushed again, and so is an unknown one, if that is asked for.
    package struct State: Sendable {
        /// The lines that are done.
        package private(set) var settled = LineSet()
        /// The pushes without an outcome.
        package private(set) var open: [Int: APNSID] = [:]
        /// The lines whose latest outcome is a refusal, with it: they are pushed again.
        package private(set) var refused: [Int: JournalResults.Key] = [:]
        /// The lines whose latest outcome is unknown, with its reason, and the id of their push.
        package private(set) var unknown: [Int: (key: JournalResults.Key, id: APNSID?)] = [:]
        /// The latest outcomes of all lines that have one.
        package private(set) var tally = Tally()
        /// How many pushes of a line were refused.
        private var refusals: [Int: Int] = [:]

        package init(open: [Int: APNSID] = [:]) { self.open = open }

        /// The line has an outcome.
        package mutating func settle(_ line: Int, _ key: JournalResults.Key) {
            if let earlier = refused.isEmpty ? nil : refused.removeValue(forKey: line) {
                tally.takeBack(earlier.kind, reason: earlier.reason)
            }
            let earlier = unknown.isEmpty ? nil : unknown.removeValue(forKey: line)
            if let earlier { tally.takeBack(earlier.key.kind, reason: earlier.key.reason) }
            let id = open.isEmpty ? nil : open.removeValue(forKey: line)
            tally.count(key.kind, reason: key.reason)
            // A failed push has an outcome: see docs/bulk.md.
            if key.kind != .failed, !key.isDone {
                refused[line] = key
                refusals[line, default: 0] += 1
                return settled.remove(line)
            }
            settled.insert(line)
            if key.kind == .unknown { unknown[line] = (key, id ?? earlier?.id) }
        }

        /// The line was about to be pushed. Of a line that was refused, each push but one without an outcome was.
        fileprivate mutating func add(_ line: Int, _ id: APNSID) {
            if settled.contains(line) {
                if !unknown.isEmpty, let known = unknown[line] { unknown[line] = (known.key, id) }
                return
            }
            if !refusals.isEmpty, let left = refusals[line], left > 0 {
                refusals[line] = left - 1
                return
            }
            if let earlier = refused.isEmpty ? nil : refused.removeValue(forKey: line) {
                tally.takeBack(earlier.kind, reason: earlier.reason)
            }
            open[line] = id
        }

        mutating func intend(_ line: Int, _ id: () -> APNSID?) {
            guard !settled.contains(line) || unknown[line] != nil, let id = id() else { return }
            add(line, id)
        }

        /// Makes unknown pushes open, so that they are pushed again.
        mutating func reopenUnknown() {
            for (line, push) in unknown {
                guard let id = push.id else { continue }
                open[line] = id
                settled.remove(line)
                tally.takeBack(push.key.kind, reason: push.key.reason)
                unknown[line] = nil
            }
        }

        /// Of each line that is pushed again, no outcome counts. Returns what they were.
        mutating func forgetRefused() -> Tally {
            var again = Tally()
            for key in refused.values {
                tally.takeBack(key.kind, reason: key.reason)
                again.count(key.kind, reason: key.reason)
            }
            refused = [:]
            return again
        }
    }
}

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
