/// What a part of a chart is coloured for.
enum Colour {
    case background, grid, text, quiet
    /// What is ours, another series of ours, and what is compared with it.
    case first, second, others
}

/// The colours of a chart, for pages of one brightness. Text has a contrast of 4.5 to 1 with the background at least, bars and
/// lines 3 to 1.
struct Theme {
    let name: String
    private let colours: [Colour: String]

    subscript(colour: Colour) -> String { colours[colour, default: "#808080"] }

    static let all = [
        Theme(
            name: "light",
            colours: [
                .background: "#ffffff", .grid: "#d8dee4", .text: "#1f2328", .quiet: "#59636e",
                .first: "#0969da", .second: "#bc4c00", .others: "#818b98",
            ]),
        Theme(
            name: "dark",
            colours: [
                .background: "#0d1117", .grid: "#2a313a", .text: "#f0f6fc", .quiet: "#9198a1",
                .first: "#4493f8", .second: "#f0883e", .others: "#7d8590",
            ]),
    ]
}
