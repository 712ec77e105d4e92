import PushTerminal

/// Draws a histogram in lines of at most 60 columns: where a row begins, a bar, how many it counts.
struct HistogramDrawing {
    /// Whether the terminal shows more than ASCII.
    static var localeIsUTF8: Bool {
        TerminalStyle(columns: columns) { EnvironmentVariable.value($0) }.isUTF8
    }

    static let columns = 60
    static let mostRows = 16
    private static let timeColumns = 8
    /// Eighths of a column, from one to seven.
    private static let eighths = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    let histogram: LatencyHistogram
    let isUTF8: Bool

    var lines: [String] {
        let rows = histogram.rows(atMost: Self.mostRows)
        let numbers = rows.map { Figures.grouped($0.count) }
        let numberColumns = numbers.map(\.count).max() ?? 0
        let barColumns = Self.columns - Self.timeColumns - numberColumns - 4
        let most = rows.map(\.count).max() ?? 0
        return zip(rows, numbers).map { row, number in
            let time = LatencyText.of(row.from, isUTF8: isUTF8).padded(to: Self.timeColumns)
            let bar = bar(row.count, of: most, columns: barColumns)
            return
                "\(time)  \(bar)\(String(repeating: " ", count: barColumns - bar.count))  \(number.padded(to: numberColumns))"
        }
    }

    /// A row that counts anything shows something.
    private func bar(_ count: Int, of most: Int, columns: Int) -> String {
        guard count > 0, most > 0 else { return "" }
        let share = Double(count) / Double(most) * Double(columns)
        guard isUTF8 else { return String(repeating: "#", count: max(1, Int(share.rounded()))) }
        let parts = max(1, Int((share * 8).rounded()))
        return String(repeating: "█", count: parts / 8) + (parts % 8 == 0 ? "" : Self.eighths[parts % 8 - 1])
    }
}

/// Times of pushes, for a person.
enum LatencyText {
    /// Three digits with their unit: `820 µs`, `23.9 ms`, `1.25 s`.
    static func of(_ nanoseconds: UInt64, isUTF8: Bool) -> String {
        let units: [(name: String, length: Double)] = [("s", 1e9), ("ms", 1e6), (isUTF8 ? "µs" : "us", 1e3)]
        let value = Double(nanoseconds)
        // 999.6 µs would be rounded to 1000 µs: it is 1.00 ms.
        let unit = units.first { value >= $0.length * 0.9995 } ?? units[2]
        return "\(threeDigits(value / unit.length)) \(unit.name)"
    }

    private static func threeDigits(_ value: Double) -> String {
        let decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
        let factor = [1, 10, 100][decimals]
        let whole = Int((value * Double(factor)).rounded())
        guard decimals > 0 else { return String(whole) }
        let fraction = String(whole % factor)
        return "\(whole / factor).\(String(repeating: "0", count: decimals - fraction.count))\(fraction)"
    }
}

extension String {
    /// The text at the right of this many columns.
    func padded(to columns: Int) -> String { String(repeating: " ", count: max(0, columns - count)) + self }
}
