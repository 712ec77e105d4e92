/// A day of the calendar, in UTC.
package struct CalendarDay: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Days since 1 January 1970.
    package let number: Int

    package init(number: Int) { self.number = number }

    /// The day of a moment, in seconds since 1970.
    package init(unixSeconds: Int64) {
        number = Int(unixSeconds >= 0 ? unixSeconds / 86_400 : (unixSeconds - 86_399) / 86_400)
    }

    /// Nil unless the text is a day as `2026-11-21`.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.map(\.utf8.count) == [4, 2, 2],
            text.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
            (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        self.init(year: year, month: month, day: day)
        // 31 April would be 1 May.
        guard description == text else { return nil }
    }

    /// The number of days from 1 March of the year 0 counts February last, so that leap days need no case.
    private init(year: Int, month: Int, day: Int) {
        let years = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        number = 365 * years + years / 4 - years / 100 + years / 400 + dayOfYear - 719_468
    }

    /// As `2026-11-21`.
    package var description: String {
        let days = number + 719_468
        let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shifted + 2) / 5 + 1
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = era * 400 + yearOfEra + (month > 2 ? 0 : 1)
        return "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))"
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    /// The day that is so many days later.
    package func adding(_ days: Int) -> CalendarDay { CalendarDay(number: number + days) }

    package static func < (one: CalendarDay, other: CalendarDay) -> Bool { one.number < other.number }
}
