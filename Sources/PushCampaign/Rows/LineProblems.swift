import PushTerminal

/// Problems of single records for a person: the first few in full, the rest counted by kind.
package struct LineProblems: Sendable {
    /// As many kinds are counted separately; sentences may contain names from the input.
    private static let mostKinds = 16
    private static let kindsShown = 5

    private let most: Int
    private let name: String
    private var count = 0
    /// How many records of each kind were not reported.
    private var kinds: [[String]: ProblemKind] = [:]

    package init(inputName name: String, most: Int = 10) {
        self.name = name
        self.most = most
    }

    /// The sentence about a record; nil once there were enough.
    ///
    /// - Parameters:
    ///   - problem: A sentence.
    ///   - reason: The reason in its row.
    package mutating func report(line: Int, _ problem: String, reason: String) -> String? {
        count += 1
        if count <= most { return "\(name), line \(line): \(problem)".onOneLine }
        let details = reason == "invalid_input" ? " (\(problem.onOneLine.shortened(to: 200)))" : ""
        var kind = ProblemKind(reason + details)
        if kinds[kind.key] == nil, kinds.count >= Self.mostKinds { kind = ProblemKind("others") }
        kinds[kind.key, default: kind].add(kind)
        return nil
    }

    /// How many more there were, and why, for the end of the run.
    package var remainder: String? {
        guard count > most else { return nil }
        let sorted = kinds.values.map { ($0.count, $0.text) }.sorted { ($1.0, $0.1) < ($0.0, $1.1) }
        var texts = sorted.prefix(Self.kindsShown).map { "\(Figures.grouped($0)) \($1)" }
        if sorted.count > Self.kindsShown { texts.append("…") }
        let records = count == most + 1 ? "record was" : "records were"
        return "\(name): \(Figures.grouped(count - most)) more \(records) not pushed: "
            + texts.joined(separator: ", ")
    }
}
