import PushTerminal

/// A line of a terminal, in pieces of one tone each. Its text has no control sequences until it is rendered.
struct StyledLine {
    private(set) var pieces: [Span] = []

    init() {}

    init(_ text: String, _ tone: Tone = .plain) { add(text, tone) }

    /// - Parameter text: On one line, without control characters.
    mutating func add(_ text: String, _ tone: Tone = .plain) { pieces.append(Span(text, tone)) }

    /// The line in at most `width` columns; an ellipsis marks a cut.
    func rendered(width: Int, colors: Bool) -> String {
        var (left, line) = (width, "")
        let isCut = pieces.reduce(0) { $0 + $1.text.count } > width
        if isCut { left -= 1 }
        for piece in pieces where left > 0 {
            let text = String(piece.text.prefix(left))
            left -= text.count
            line += colors ? piece.tone.paint(text) : text
        }
        if isCut, width > 0 { line += "…" }
        // Columns are padded to their width; nothing follows the last one.
        guard !colors else { return line }
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}
