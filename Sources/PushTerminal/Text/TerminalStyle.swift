import Glibc

/// What can be shown where text goes: a terminal of some width, perhaps with colours, or a file.
package struct TerminalStyle: Equatable, Sendable {
    /// The columns of a terminal; nil elsewhere, where nothing is wrapped.
    package var columns: Int?
    /// Whether it is a terminal that interprets control sequences.
    package var isSmart = false
    package var isColoured = false
    /// Whether it shows characters that are not ASCII.
    package var isUTF8 = false

    /// Of a file or a pipe.
    package static let plain = TerminalStyle()

    /// Reads the descriptor and the environment, each time: a terminal may have another size by now.
    package static func of(_ descriptor: Int32) -> TerminalStyle {
        guard isatty(descriptor) == 1 else { return .plain }
        return TerminalStyle(columns: TerminalSize.of(descriptor).columns) { name in
            getenv(name).map { String(cString: $0) }
        }
    }

    package static var standardOutput: TerminalStyle { of(STDOUT_FILENO) }
    /// Lines of JSON are never shaped for a terminal.
    package static var standardError: TerminalStyle { StandardError.isJSON ? .plain : of(STDERR_FILENO) }

    /// A terminal of this width, with its abilities from the environment's variables.
    package init(columns: Int, environment: (String) -> String?) {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        self.columns = columns
        isSmart = value("TERM").map { $0 != "dumb" } ?? false
        // See no-color.org.
        isColoured = isSmart && value("NO_COLOR") == nil
        let locale = (value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? "").lowercased()
        isUTF8 = locale.contains("utf-8") || locale.contains("utf8")
    }

    private init() {}

    // MARK: Text

    /// The text in a colour, if there are colours.
    package func paint(_ text: String, in tone: Tone) -> String {
        isColoured ? tone.paint(text) : text
    }

    /// The text in lines that fit; those after the first begin with `indent` blanks.
    package func wrap(_ text: String, indent: Int) -> String {
        columns.map { text.wrapped(to: $0, indent: indent) } ?? text
    }

    /// A row of a table: its head, of a width of its own, and a sentence that is wrapped beside it.
    package func row(_ head: [Span], text: String) -> String {
        let width = head.reduce(0) { $0 + $1.text.columns }
        let wrapped = wrap(String(repeating: " ", count: width) + text, indent: width)
        return paint(head) + wrapped.dropFirst(width)
    }

    package func paint(_ spans: [Span]) -> String { spans.reduce(into: "") { $0 += paint($1.text, in: $1.tone) } }
}

/// What a colour says. The raw value is the control sequence.
package enum Tone: String, Sendable {
    case plain = ""
    case good = "\u{1B}[32m"
    case warning = "\u{1B}[33m"
    case bad = "\u{1B}[31m"
    case loud = "\u{1B}[1m"
    case dim = "\u{1B}[2m"

    package func paint(_ text: String) -> String { self == .plain ? text : "\(rawValue)\(text)\u{1B}[0m" }
}

/// Text of one colour.
package struct Span: Equatable, Sendable {
    package let text: String
    package let tone: Tone

    package init(_ text: String, _ tone: Tone = .plain) {
        self.text = text
        self.tone = tone
    }
}

/// How many characters a terminal shows.
package struct TerminalSize: Equatable, Sendable {
    package var columns = 80
    package var rows = 24

    /// 80 columns and 24 rows if it does not say.
    package static func of(_ descriptor: Int32) -> TerminalSize {
        var size = winsize()
        var known = TerminalSize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return known }
        if size.ws_col > 0 { known.columns = Int(size.ws_col) }
        if size.ws_row > 0 { known.rows = Int(size.ws_row) }
        return known
    }
}
