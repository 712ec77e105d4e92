import PushTerminal

/// A curve in one line, of a character for each value.
enum Sparkline {
    /// The newest values, as many as there is room for; the largest of them reaches the top.
    static func text(_ values: [Double], columns: Int, isUTF8: Bool) -> String {
        let levels = Array(isUTF8 ? "▁▂▃▄▅▆▇█" : "_.:-=+*#")
        let shown = values.suffix(columns)
        guard let top = shown.max(), top > 0 else { return String(repeating: levels[0], count: shown.count) }
        return String(shown.map { levels[min(levels.count - 1, max(0, Int($0 / top * Double(levels.count))))] })
    }
}

/// A bar of which a share is filled.
enum ProgressBar {
    static func spans(_ share: Double, columns: Int, isUTF8: Bool) -> [Span] {
        let inside = columns - (isUTF8 ? 0 : 2)
        let filled = min(inside, max(0, Int((share * Double(inside)).rounded(.down))))
        let done = String(repeating: isUTF8 ? "█" : "#", count: filled)
        let rest = String(repeating: isUTF8 ? "░" : ".", count: inside - filled)
        return isUTF8 ? [Span(done, .good), Span(rest, .dim)] : [Span("["), Span(done, .good), Span(rest + "]")]
    }
}
