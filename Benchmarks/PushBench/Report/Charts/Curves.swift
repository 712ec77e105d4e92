import Glibc

/// Lines over a share of something, on a logarithmic scale of time; each has its name at its end.
struct Curves: Chart {
    struct Curve {
        let name: String
        let colour: Colour
        /// By percent, in their order.
        let microseconds: [(percent: Double, value: Double)]
    }

    let title: String
    let subtitle: String
    /// Under the horizontal axis.
    let axis: String
    let curves: [Curve]

    let height = 340.0
    private let left = 84.0
    private let right = Frame.width - 108
    private let bottom = 280.0
    /// Between the scale and the first points.
    private let indent = 28.0

    private var points: [(percent: Double, value: Double)] { curves.flatMap(\.microseconds) }

    var description: String {
        let lines = curves.map { curve in
            let values = curve.microseconds.map { "\(Self.time($0.value)) at \(Self.percent($0.percent))" }
            return "\(curve.name): \(values.joined(separator: ", "))"
        }
        return "\(subtitle). \(lines.joined(separator: "; "))."
    }

    func draw(on drawing: inout Drawing) {
        let ticks = Ticks.logarithmic(from: points.map(\.value).min() ?? 1, to: points.map(\.value).max() ?? 10)
        for tick in ticks {
            let y = height(of: tick, in: ticks)
            drawing.line([Point(left, y), Point(right, y)], .grid)
            drawing.text(Self.time(tick), at: Point(left - 12, y + 4), .end, .quiet, size: 12)
        }
        for percent in Set(points.map(\.percent)) {
            let place = Point(place(of: percent), bottom + 22)
            drawing.text(Self.percent(percent), at: place, .middle, .quiet, size: 12)
        }
        drawing.text(axis, at: Point((left + right) / 2, bottom + 46), .middle, .quiet)
        for curve in curves { draw(curve, ticks, on: &drawing) }
    }

    private func draw(_ curve: Curve, _ ticks: [Double], on drawing: inout Drawing) {
        let points = curve.microseconds.map { Point(place(of: $0.percent), height(of: $0.value, in: ticks)) }
        drawing.line(points, curve.colour, width: 2.5)
        for point in points { drawing.dot(point, curve.colour) }
        guard let end = points.last, let last = curve.microseconds.last else { return }
        drawing.text(
            "\(curve.name)  \(Self.time(last.value))", at: Point(end.x + 12, end.y + 4.5), .start, curve.colour,
            isBold: true)
    }

    private func place(of percent: Double) -> Double {
        let percents = points.map(\.percent)
        guard let least = percents.min(), let most = percents.max(), most > least else { return right }
        return left + indent + (right - left - indent) * (percent - least) / (most - least)
    }

    private func height(of value: Double, in ticks: [Double]) -> Double {
        guard let least = ticks.first, let most = ticks.last, most > least, value > 0 else { return bottom }
        return bottom * (1 - log(value / least) / log(most / least))
    }

    private static func percent(_ value: Double) -> String { "\(Drawing.number(value)) %" }

    private static func time(_ microseconds: Double) -> String {
        guard microseconds >= 1_000 else { return microseconds.text(decimals: 0) + " µs" }
        let milliseconds = microseconds / 1_000
        let digits = milliseconds == milliseconds.rounded() || milliseconds >= 10 ? 0 : 1
        return milliseconds.text(decimals: digits) + " ms"
    }
}
