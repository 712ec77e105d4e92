extension PushResponse {
    /// How long the server asks to wait before the request is sent again: its `Retry-After` (RFC 9110, section 10.2.3),
    /// a number of seconds or a date. Nil if there is none or it is neither; zero for a past date.
    ///
    /// - Parameter wallClock: The time of the answer, in milliseconds since 1970 UTC. Called only for a date.
    package func retryAfter(_ wallClock: () -> Int64) -> Duration? {
        guard let text = headers["retry-after"], !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // More than 32 bits of seconds is too long for any caller.
            return .seconds(UInt32(text) ?? .max)
        }
        guard let date = HTTPDate.seconds(text) else { return nil }
        return .milliseconds(max(0, date * 1_000 - wallClock()))
    }
}

/// The date in a header field (RFC 9110, section 5.6.7).
package enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// UNIX seconds of `Sun, 06 Nov 1994 08:49:37 GMT`; nil for any other form. Current servers send this one.
    package static func seconds(_ text: String) -> Int64? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard text.utf8.count == 29, words.count == 6, words[0].hasSuffix(","), words[5] == "GMT",
            let month = months.firstIndex(of: String(words[2])),
            let day = number(words[1], in: 1...31), let year = number(words[3], in: 1970...9999)
        else { return nil }
        let clock = words[4].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let hour = number(clock[0], in: 0...23), let minute = number(clock[1], in: 0...59),
            let second = number(clock[2], in: 0...60)
        else { return nil }
        return ((days(year: year, month: Int64(month) + 1, day: day) * 24 + hour) * 60 + minute) * 60 + second
    }

    /// Days from 1970-01-01 to this day of the Gregorian calendar. Counts years from March, so that the leap day is the
    /// last day.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }

    private static func number(_ text: Substring, in range: ClosedRange<Int64>) -> Int64? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text), range.contains(number)
        else { return nil }
        return number
    }
}
