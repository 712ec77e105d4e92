import PushCampaign
import PushTerminal
import SupervisedPush

/// A report of Apple's: a CSV file with a header. Columns that are not known are kept.
struct MetricsTable: Equatable {
    /// What Apple writes in place of a figure that could show a person.
    static let hidden = -1
    private static let most = 200
    /// How many fields all rows have together at most: honest reports have thousands.
    private static let mostFields = 2_000_000

    /// Apple's names.
    let columns: [String]
    let rows: [[String]]

    /// - Throws: Status 1 if it is no such file.
    init(_ bytes: [UInt8]) throws(CommandError) {
        let text: [UInt8]
        do throws(TextEncoding.Foreign) { text = try TextEncoding.text(bytes, name: "the report") } catch {
            throw CommandError(.rejectedOrFailed, "the report \(error.sentence)")
        }
        var lines = try Self.lines(text)
        guard !lines.isEmpty else { throw CommandError(.rejectedOrFailed, "the report is empty: it has no columns") }
        columns = lines.removeFirst()
        rows = lines
    }

    private static func lines(_ text: [UInt8]) throws(CommandError) -> [[String]] {
        var lines: [[String]] = []
        var (start, count, scanner) = (0, 0, CSVScanner())
        while start < text.count {
            scanner.restart()
            let (step, fields) = text.withUnsafeBytes { bytes -> (CSVScanner.Step, [[UInt8]]) in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
                let step = scanner.scan(rest, isAtEnd: true)
                return (step, scanner.fields.map { $0.bytes(in: rest) })
            }
            guard case .record(let length) = step, length > 0 else {
                throw CommandError(.rejectedOrFailed, "row \(lines.count + 1) of the report is no CSV")
            }
            start += length
            // A blank line.
            if fields.count == 1, fields[0].isEmpty { continue }
            if let first = lines.first, first.count != fields.count {
                throw CommandError(
                    .rejectedOrFailed,
                    "row \(lines.count + 1) of the report has \(fields.count) fields, and its header \(first.count)")
            }
            guard fields.count <= most else {
                throw CommandError(.rejectedOrFailed, "the report has more than \(most) columns")
            }
            count += fields.count
            guard count <= mostFields else {
                throw CommandError(.rejectedOrFailed, "the report has more than \(mostFields) fields")
            }
            lines.append(fields.map { String(decoding: $0, as: UTF8.self) })
        }
        return lines
    }

    // MARK: JSON

    /// A line for each row: the columns by their names in lower case, with `_` in place of what is no letter or digit. A
    /// figure that Apple hides is null.
    var json: [UInt8] {
        let names = columns.map(Self.name)
        return rows.flatMap { row in
            var object = JSONLine()
            for (name, cell) in zip(names, row) {
                switch Self.figure(cell) {
                case Self.hidden?: object.add(name, nil as Int?)
                case let figure?: object.add(name, figure)
                case nil: object.add(name, cell)
                }
            }
            return object.line
        }
    }

    /// `broadcasts_published` of `Broadcasts Published`, `date_utc` of `Date (UTC)`.
    static func name(_ column: String) -> String {
        column.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "_")
    }

    private static func figure(_ cell: String) -> Int? {
        let digits = cell.hasPrefix("-") ? cell.dropFirst() : cell[...]
        guard (1...18).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(cell)
    }

    // MARK: CSV

    /// The rows as they came, without a byte order mark.
    var csv: [UInt8] {
        Array(([columns] + rows).map { $0.map(Self.quoted).joined(separator: ",") + "\n" }.joined().utf8)
    }

    private static func quoted(_ cell: String) -> String {
        guard
            cell.utf8.contains(where: { [ASCII.comma, ASCII.quote, ASCII.lineFeed, ASCII.carriageReturn].contains($0) })
        else { return cell }
        return "\"\(cell.replacing("\"", with: "\"\""))\""
    }

    // MARK: Text

    /// A table for a person, and of deliveries the sum of each status.
    var text: String {
        guard !rows.isEmpty else { return "The report has no rows: Apple counted nothing in these days.\n" }
        let shown = rows.map { row in row.map(Self.shown) }
        let titles = columns.map(\.onOneLine)
        let widths = titles.indices.map { index in
            max(titles[index].columns, shown.map { $0[index].columns }.max() ?? 0)
        }
        let isFigure = titles.indices.map { index in rows.allSatisfy { Self.figure($0[index]) != nil } }
        let lines = ([titles] + shown).map { cells in
            var line = ""
            for (index, cell) in cells.enumerated() {
                let blanks = String(repeating: " ", count: widths[index] - cell.columns)
                line += (index == 0 ? "" : "   ") + (isFigure[index] ? blanks + cell : cell + blanks)
            }
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
        return lines.joined(separator: "\n") + "\n" + (sums.map { "sums   \($0)\n" } ?? "")
    }

    private static func shown(_ cell: String) -> String {
        switch figure(cell) {
        case hidden?: "–"
        case let figure?: Figures.grouped(figure)
        case nil: cell.onOneLine
        }
    }

    /// `91,200 delivered, 4,100 stored`; nil without the columns of deliveries.
    private var sums: String? {
        let names = columns.map(Self.name)
        guard let status = names.firstIndex(of: "status"), let count = names.firstIndex(of: "count") else { return nil }
        var sums: [(status: String, sum: Int)] = []
        for row in rows {
            guard let figure = Self.figure(row[count]), figure >= 0 else { continue }
            let index = sums.firstIndex { $0.status == row[status] } ?? sums.endIndex
            if index == sums.endIndex { sums.append((row[status], 0)) }
            let (sum, isOver) = sums[index].sum.addingReportingOverflow(figure)
            sums[index].sum = isOver ? .max : sum
        }
        return sums.isEmpty
            ? nil : sums.map { "\(Figures.grouped($0.sum)) \($0.status.onOneLine)" }.joined(separator: ", ")
    }
}
