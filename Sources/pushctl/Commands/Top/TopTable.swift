import PushCampaign
import PushTerminal

/// Rows as lines of a table that fits a width: the least important columns go first, then a part of the names.
struct TopTable {
    private static let gap = 2

    private let rows: [TopRow]
    private var columns: [(column: TopColumn, width: Int)]

    init(_ rows: [TopRow], width: Int) {
        self.rows = rows
        columns = TopColumn.allCases.map { column in
            (column, rows.reduce(column.title.count) { max($0, column.text($1).count) })
        }
        for column in TopColumn.leastImportant where needed > width {
            columns.removeAll { $0.column == column }
        }
        guard needed > width, let name = columns.firstIndex(where: { $0.column == .name }) else { return }
        columns[name].width = max(TopColumn.shortestName, columns[name].width - (needed - width))
    }

    private var needed: Int { columns.reduce(-Self.gap) { $0 + $1.width + Self.gap } }

    /// The titles, and a line for each row, followed by its failure.
    var lines: [StyledLine] {
        var lines = [line { ($0.title, .loud) }]
        for row in rows {
            lines.append(line { column in (column.text(row), column == .phase ? row.tone : .plain) })
            if let failure = row.failure { lines.append(StyledLine("    " + failure, .bad)) }
        }
        return lines
    }

    private func line(_ cell: (TopColumn) -> (text: String, tone: Tone)) -> StyledLine {
        var line = StyledLine()
        for (index, (column, width)) in columns.enumerated() {
            if index > 0 { line.add(String(repeating: " ", count: Self.gap)) }
            let (whole, tone) = cell(column)
            let text = whole.count > width ? whole.shortened(to: width - 1) : whole
            let blank = String(repeating: " ", count: width - text.count)
            if !column.isText { line.add(blank) }
            line.add(text, tone)
            if column.isText { line.add(blank) }
        }
        return line
    }
}
