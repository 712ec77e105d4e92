/// The control sequences that keep the status area below everything else.
///
/// Between two drawings, the cursor stands at the beginning of the area. A terminal that got another width breaks its lines
/// again and keeps it there, and from there everything is erased. The area is drawn over itself, line by line, so
/// that it does not flicker.
struct StatusPainter: Sendable {
    private static let eraseToEndOfLine = "\u{1B}[K"
    private static let eraseBelow = "\u{1B}[J"
    private static let cutsLines = "\u{1B}[?7l"
    private static let breaksLines = "\u{1B}[?7h"
    private var area: [String] = []

    init() {}

    /// Replaces the area. Empty text means that nothing is to be written.
    mutating func draw(_ lines: [String]) -> String {
        guard !lines.isEmpty else { return erase() }
        area = lines
        let up = lines.count > 1 ? "\u{1B}[\(lines.count - 1)A" : ""
        return "\r" + Self.cutsLines + lines.joined(separator: Self.eraseToEndOfLine + "\r\n") + Self.eraseToEndOfLine
            + Self.eraseBelow + Self.breaksLines + "\r" + up
    }

    /// Writes lines above the area.
    mutating func add(_ text: String) -> String { area.isEmpty ? text : "\r" + Self.eraseBelow + text + draw(area) }

    mutating func erase() -> String {
        guard !area.isEmpty else { return "" }
        area = []
        return "\r" + Self.eraseBelow
    }
}
