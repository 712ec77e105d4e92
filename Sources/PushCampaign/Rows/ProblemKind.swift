import PushTerminal

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
