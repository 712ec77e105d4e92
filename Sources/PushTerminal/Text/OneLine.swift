extension StringProtocol {
    /// The text with every control character, line break and bidirectional override replaced by a space, and runs of
    /// them by one. Text from others (file names, reasons from a server) is shown in this form, because it must not
    /// control a terminal.
    package var onOneLine: String {
        var line = ""
        var blank = false
        for scalar in unicodeScalars {
            if scalar.controlsLines {
                blank = !line.isEmpty
            } else if !blank || scalar.properties.generalCategory != .spaceSeparator {
                if blank { line += " " }
                blank = false
                line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    /// The text with a period, unless it is a question.
    package var asSentence: String { last == "?" ? String(self) : self + "." }

    /// At most this many characters; an ellipsis marks a cut.
    package func shortened(to limit: Int) -> String {
        guard let end = index(startIndex, offsetBy: limit, limitedBy: endIndex), end < endIndex else {
            return String(self)
        }
        return self[..<end] + "…"
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character, a line break or a bidirectional override, or another character of format.
    package var controlsLines: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}
