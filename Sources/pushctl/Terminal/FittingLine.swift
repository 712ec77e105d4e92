import PushCampaign
import PushTerminal

/// A line whose parts get shorter, or go, until it fits: the least important first.
struct FittingLine {
    /// A part in its different lengths.
    struct Part {
        /// One way to write a part, and how important it is to have it and not the next one, or nothing.
        struct Form {
            let spans: [Span]
            let rank: Rank
        }

        fileprivate var forms: ArraySlice<Form>

        /// - Parameter forms: The longest first.
        init(_ forms: Form...) { self.forms = forms[...] }
        init(_ forms: [Form]) { self.forms = forms[...] }
    }

    /// What a line loses first, and what last.
    enum Rank: Int, Comparable {
        case ornament, detail, note, useful, important, vital
        /// Stays, whatever the width.
        case always

        static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    private static let gap = "  "
    private var parts: [Part] = []

    mutating func add(_ part: Part) { parts.append(part) }

    /// Adds a part that is there or not.
    mutating func add(_ text: String, rank: Rank, tone: Tone = .plain) {
        add(Part(.init(text, rank: rank, tone: tone)))
    }

    /// The parts as far as they fit, with blanks between them.
    func spans(columns: Int) -> [Span] {
        var parts = parts
        while Self.width(parts) > columns, let index = Self.leastImportant(parts) {
            parts[index].forms = parts[index].forms.dropFirst()
        }
        let shown = parts.compactMap { $0.forms.first?.spans }
        return shown.isEmpty ? [] : Array(shown.joined(separator: [Span(Self.gap)]))
    }

    /// Of equals the last.
    private static func leastImportant(_ parts: [Part]) -> Int? {
        var found: (index: Int, rank: Rank)?
        for (index, part) in parts.enumerated() {
            guard let rank = part.forms.first?.rank, rank != .always, rank <= found?.rank ?? .vital else { continue }
            found = (index, rank)
        }
        return found?.index
    }

    private static func width(_ parts: [Part]) -> Int {
        let widths = parts.compactMap { $0.forms.first?.spans.reduce(0) { $0 + $1.text.columns } }
        return widths.reduce(0, +) + gap.count * max(0, widths.count - 1)
    }
}

extension FittingLine.Part.Form {
    init(_ spans: [Span], rank: FittingLine.Rank) {
        self.spans = spans
        self.rank = rank
    }

    init(_ text: String, rank: FittingLine.Rank, tone: Tone = .plain) {
        self.init([Span(text, tone)], rank: rank)
    }
}
