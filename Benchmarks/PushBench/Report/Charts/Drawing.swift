/// An SVG picture in the making: its elements so far, in the colours of a theme.
struct Drawing {
    /// Which part of a text is at its point.
    enum Anchor: String { case start, middle, end }

    private let theme: Theme
    private(set) var elements = ""

    init(_ theme: Theme) { self.theme = theme }

    mutating func rectangle(_ corner: Point, width: Double, height: Double, radius: Double = 0, _ colour: Colour) {
        add(
            "rect",
            [
                "x": Self.number(corner.x), "y": Self.number(corner.y), "width": Self.number(width),
                "height": Self.number(height), "rx": Self.number(radius), "fill": theme[colour],
            ])
    }

    mutating func line(_ points: [Point], _ colour: Colour, width: Double = 1, isDashed: Bool = false) {
        let places = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }.joined(separator: " ")
        add(
            "polyline",
            [
                "points": places, "fill": "none", "stroke": theme[colour], "stroke-width": Self.number(width),
                "stroke-linejoin": "round", "stroke-dasharray": isDashed ? "4 4" : "none",
            ])
    }

    mutating func dot(_ point: Point, _ colour: Colour) {
        add("circle", ["cx": Self.number(point.x), "cy": Self.number(point.y), "r": "4", "fill": theme[colour]])
    }

    mutating func text(
        _ text: String, at point: Point, _ anchor: Anchor = .start, _ colour: Colour = .text, size: Double = 13,
        isBold: Bool = false
    ) {
        add(
            "text",
            [
                "x": Self.number(point.x), "y": Self.number(point.y), "text-anchor": anchor.rawValue,
                "fill": theme[colour], "font-size": Self.number(size), "font-weight": isBold ? "600" : "400",
            ], text)
    }

    private mutating func add(_ name: String, _ attributes: KeyValuePairs<String, String>, _ text: String? = nil) {
        let written = attributes.map { " \($0)=\"\($1)\"" }.joined()
        elements += text.map { "<\(name)\(written)>\(Self.escaped($0))</\(name)>\n" } ?? "<\(name)\(written)/>\n"
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// A tenth of a unit is finer than a screen shows.
    static func number(_ value: Double) -> String {
        value.text(decimals: value == value.rounded() ? 0 : 1)
    }
}

/// A place in a picture; `y` grows downwards.
struct Point {
    let x: Double
    let y: Double

    init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }
}
