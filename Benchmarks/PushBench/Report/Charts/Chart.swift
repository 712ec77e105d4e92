/// A picture of measurements, complete in itself: with its title, its units and its labels.
protocol Chart {
    var title: String { get }
    /// What the numbers are, and which are better.
    var subtitle: String { get }
    /// The same as the picture, for who cannot see it.
    var description: String { get }
    /// How much room it needs below title and subtitle.
    var height: Double { get }

    /// Draws the part below title and subtitle, from `y == 0` on.
    func draw(on drawing: inout Drawing)
}

extension Chart {
    /// The whole picture as an SVG document. Its fonts are those of the system that shows it.
    func svg(_ theme: Theme) -> String {
        let head = 78.0
        let whole = "0 0 \(Drawing.number(Frame.width)) \(Drawing.number(head + height))"
        var drawing = Drawing(theme)
        drawing.rectangle(Point(0, -head), width: Frame.width, height: head + height, .background)
        drawing.text(title, at: Point(Frame.margin, 34 - head), size: 18, isBold: true)
        drawing.text(subtitle, at: Point(Frame.margin, 56 - head), .start, .quiet)
        draw(on: &drawing)
        // A border in the colour of the background keeps text apart from the lines that it lies on.
        let border = "paint-order: stroke; stroke: \(theme[.background]); stroke-width: 4px; stroke-linejoin: round"
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="\(whole)" role="img" aria-labelledby="title description" \
            font-family="-apple-system, BlinkMacSystemFont, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif">
            <title id="title">\(Drawing.escaped(title))</title>
            <desc id="description">\(Drawing.escaped(description))</desc>
            <style>text { \(border) }</style>
            <g transform="translate(0 \(Drawing.number(head)))">
            \(drawing.elements)</g>
            </svg>

            """
    }
}

/// What all charts share, in units of the picture.
enum Frame {
    static let width = 760.0
    static let margin = 24.0
}
