extension StringProtocol {
    /// The text with every control character, line break and bidirectional override as a blank, runs of them as one.
    /// What others wrote (file names, reasons from a server) is shown this way: it must not steer a terminal.
    package var onOneLine: String {
        var line = ""
        var blank = false
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
                blank = !line.isEmpty
            case .spaceSeparator where blank:
                break
            default:
                if blank { line += " " }
                blank = false
                line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    /// At most so many characters; what was cut shows as an ellipsis.
    package func shortened(to limit: Int) -> String {
        guard let end = index(startIndex, offsetBy: limit, limitedBy: endIndex), end < endIndex else {
            return String(self)
        }
        return self[..<end] + "…"
    }
}
