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
    private var kinds: [String: Int] = [:]

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
        let kind = Self.kind(problem, reason)
        let isKnown = kinds[kind] != nil || kinds.count < Self.mostKinds
        kinds[isKnown ? kind : "others", default: 0] += 1
        return nil
    }

    /// How many more there were, and why, for the end of the run.
    package var remainder: String? {
        guard count > most else { return nil }
        let sorted = kinds.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        var texts = sorted.prefix(Self.kindsShown).map { "\(Figures.grouped($0.value)) \($0.key)" }
        if sorted.count > Self.kindsShown { texts.append("…") }
        let records = count == most + 1 ? "record was" : "records were"
        return "\(name): \(Figures.grouped(count - most)) more \(records) not pushed: "
            + texts.joined(separator: ", ")
    }

    /// Numbers differ from record to record, and are left out.
    private static func kind(_ problem: String, _ reason: String) -> String {
        guard reason == "invalid_input" else { return reason }
        let words = problem.reduce(into: "") { words, letter in
            if !letter.isNumber { words.append(letter) } else if words.last != "…" { words.append("…") }
        }
        return "\(reason) (\(words.onOneLine.shortened(to: 80)))"
    }
}
