import FoundationEssentials

/// Formats instants for people.
package enum UTCTime {
    /// For example `2026-11-21 09:30 UTC`.
    ///
    /// - Parameters:
    ///   - seconds: Seconds since 1970.
    ///   - showingSeconds: Whether to show the seconds, too: `2026-11-21 09:30:05 UTC`.
    package static func text(_ seconds: Int64, showingSeconds: Bool = false) -> String {
        let text = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601.dateTimeSeparator(.space))
        return text.dropLast(showingSeconds ? "Z".count : ":00Z".count) + " UTC"
    }
}
