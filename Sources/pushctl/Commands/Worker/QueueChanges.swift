import PushProtocol
import PushTerminal

/// The settings of a queue in a file of queues, as far as a change of them matters.
struct QueueSettings: Equatable, Sendable {
    /// All but the rate: where its pushes go, and as whom.
    let connection: JSONValue?
    let rate: RateSetting
}

/// What a file of queues changes that was read again.
struct QueueChanges: Equatable, Sendable {
    /// The most names that a line has of each kind.
    private static let mostNames = 5

    private(set) var added: [String] = []
    private(set) var removed: [String] = []
    /// They need another connection.
    private(set) var replaced: [String] = []
    /// They have another rate, and nothing else is new.
    private(set) var paced: [String] = []
    /// How many are as before.
    private(set) var kept = 0

    init(from old: [String: QueueSettings], to new: [String: QueueSettings]) {
        for (name, settings) in new.sorted(by: { $0.key < $1.key }) {
            guard let before = old[name] else {
                added.append(name)
                continue
            }
            if before.connection != settings.connection {
                replaced.append(name)
            } else if before.rate != settings.rate {
                paced.append(name)
            } else {
                kept += 1
            }
        }
        removed = old.keys.filter { new[$0] == nil }.sorted()
    }

    /// `1 new (tenant21), 1 changed (news), 18 as before`.
    var text: String {
        let changes = [("new", added), ("changed", (replaced + paced).sorted()), ("removed", removed)]
        var parts = changes.filter { !$0.1.isEmpty }.map { "\(Figures.grouped($1.count)) \($0) (\(Self.names($1)))" }
        if kept > 0 || parts.isEmpty { parts.append("\(Figures.grouped(kept)) as before") }
        return parts.joined(separator: ", ")
    }

    private static func names(_ names: [String]) -> String {
        let shown = names.prefix(mostNames).map { $0.onOneLine.shortened(to: 60) }.joined(separator: ", ")
        return names.count > mostNames ? shown + ", …" : shown
    }
}
