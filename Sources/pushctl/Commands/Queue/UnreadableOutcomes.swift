import PushQueue
import PushTerminal

/// Stored outcomes that cannot be read: what is said of them.
struct UnreadableOutcomes {
    /// How many have a line of their own.
    private static let most = 100

    private(set) var count = 0

    /// A line for each of a page, until there are too many lines.
    mutating func lines(_ page: OutcomePage) -> [String] {
        let lines = page.unreadable.prefix(max(0, Self.most - count)).map { position in
            "pushctl: an outcome cannot be read: another program stored it, or a later version of this one. It lies "
                + "before the position \(position)"
        }
        count += page.unreadable.count
        return lines
    }

    /// What is said at the end of those without a line.
    var rest: String? {
        count > Self.most ? "pushctl: \(Figures.grouped(count - Self.most)) more outcomes cannot be read" : nil
    }
}
