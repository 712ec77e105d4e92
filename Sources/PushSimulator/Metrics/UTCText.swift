import Glibc

/// A moment as Apple's answers write it.
enum UTCText {
    /// As `2026-11-21T09:30:05.000Z`.
    ///
    /// - Parameter milliseconds: Since 1970.
    static func iso8601(milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ number: Int32, _ count: Int = 2) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let date = "\(digits(parts.tm_year + 1_900, 4))-\(digits(parts.tm_mon + 1))-\(digits(parts.tm_mday))"
        let time = "\(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec))"
        return "\(date)T\(time).\(digits(Int32(milliseconds % 1_000), 3))Z"
    }

    /// The number of a day as `2026-11-21`, since 1970; nil for anything else.
    static func day(_ text: String) -> Int? {
        guard text.utf8.count == 10, text.utf8.allSatisfy({ $0 == 0x2D || (0x30...0x39).contains($0) }) else {
            return nil
        }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).compactMap { Int32($0) }
        guard parts.count == 3 else { return nil }
        var date = tm()
        (date.tm_year, date.tm_mon, date.tm_mday) = (parts[0] - 1_900, parts[1] - 1, parts[2])
        let seconds = timegm(&date)
        guard seconds >= 0, iso8601(milliseconds: Int64(seconds) * 1_000).hasPrefix(text) else { return nil }
        return seconds / 86_400
    }
}
