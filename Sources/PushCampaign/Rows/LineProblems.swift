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

/// The problems of records that differ in numbers alone. Numbers that all of them share are kept: they are those of a
/// rule.
struct ProblemKind {
    private static let longest = 400

    private let words: [String]
    /// What stands between the words; nil where records differ.
    private var numbers: [String?]
    private(set) var count = 0

    /// The kind of a sentence, without a record.
    init(_ sentence: String) {
        var (words, numbers, isNumber) = ([""], [String](), false)
        for letter in sentence.onOneLine.shortened(to: Self.longest) {
            if letter.isNumber {
                if isNumber { numbers[numbers.count - 1].append(letter) } else { numbers.append(String(letter)) }
            } else {
                if isNumber { words.append("") }
                words[words.count - 1].append(letter)
            }
            isNumber = letter.isNumber
        }
        if isNumber { words.append("") }
        (self.words, self.numbers) = (words, numbers)
    }

    /// What the problems of a kind share.
    var key: [String] { words }

    /// Counts a record with a problem of the same kind.
    mutating func add(_ other: ProblemKind) {
        count += 1
        for index in numbers.indices where index < other.numbers.count && numbers[index] != other.numbers[index] {
            numbers[index] = nil
        }
    }

    /// The sentence, with … for numbers that differ.
    var text: String {
        words.indices.map { words[$0] + ($0 < numbers.count ? numbers[$0] ?? "…" : "") }.joined()
    }
}
