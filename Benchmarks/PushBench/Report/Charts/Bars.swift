/// Horizontal bars, each with its label on the left and its value at its end.
struct Bars: Chart {
    struct Bar {
        let label: String
        let value: Double
        let isOurs: Bool
    }

    let title: String
    let subtitle: String
    /// Of values and ticks.
    let unit: String
    let bars: [Bar]
    /// A dashed line goes down from its end: what the others are compared with.
    var baseline: String?

    private let left = 300.0
    private let right = Frame.width - 84
    private let step = 36.0
    private let thickness = 20.0

    var height: Double { step * Double(bars.count) + 34 }

    var description: String {
        subtitle + ". " + bars.map { "\($0.label): \(text($0.value))" }.joined(separator: "; ") + "."
    }

    /// A bar longer than four times the middle one would leave no room for the others: it is cut, which a gap in it shows.
    private var longest: Double {
        let sorted = bars.map(\.value).sorted()
        guard !sorted.isEmpty else { return 1 }
        let bound = 4 * sorted[sorted.count / 2]
        return sorted.last { $0 <= bound } ?? bound
    }

    func draw(on drawing: inout Drawing) {
        let ticks = Ticks.even(to: longest * 1.05)
        let most = ticks.last ?? 1
        let place = { (value: Double) in left + (right - left) * min(value, most) / most }
        let bottom = step * Double(bars.count)
        for tick in ticks {
            drawing.line([Point(place(tick), 0), Point(place(tick), bottom)], .grid)
            drawing.text(text(tick), at: Point(place(tick), bottom + 18), .middle, .quiet, size: 12)
        }
        if let value = bars.first(where: { $0.label == baseline })?.value {
            drawing.line([Point(place(value), 0), Point(place(value), bottom)], .quiet, isDashed: true)
        }
        for (row, bar) in bars.enumerated() {
            draw(bar, y: step * Double(row), end: place(bar.value), isCut: bar.value > most, on: &drawing)
        }
    }

    private func draw(_ bar: Bar, y: Double, end: Double, isCut: Bool, on drawing: inout Drawing) {
        let (top, baseline) = (y + (step - thickness) / 2, y + step / 2 + 4.5)
        drawing.text(bar.label, at: Point(left - 12, baseline), .end)
        drawing.rectangle(
            Point(left, top), width: end - left, height: thickness, radius: 2, bar.isOurs ? .first : .others)
        if isCut {
            let gap = end - 40
            drawing.line([Point(gap - 5, top + thickness + 3), Point(gap + 5, top - 3)], .background, width: 5)
        }
        drawing.text(text(bar.value), at: Point(end + 8, baseline), isBold: bar.isOurs)
    }

    private func text(_ value: Double) -> String {
        let digits = value == value.rounded() || value >= 100 ? 0 : 1
        return value.text(decimals: digits) + " " + unit
    }
}
