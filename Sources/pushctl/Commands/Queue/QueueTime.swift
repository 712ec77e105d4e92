import ArgumentParser
import FoundationEssentials
import PushTerminal

/// A point in time on the command line: UNIX seconds, `2026-11-23T18:00:00Z`, or a time from now such as `90s`.
enum QueueTime: Equatable, Sendable {
    private static let units: [Character: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    /// A smaller number is more likely meant as a time from now. It is the year 2001.
    private static let firstUnixTime = 1_000_000_000.0
    private static let longest = 366 * 86_400.0

    case at(Date)
    /// Seconds from now.
    case after(Double)

    /// - Throws: An error for people.
    init(_ text: String) throws {
        if let number = Self.number(text), number >= Self.firstUnixTime, number < 1e11 {
            self = .at(Date(timeIntervalSince1970: number))
        } else if let unit = text.last.flatMap({ Self.units[$0] }), let number = Self.number(text.dropLast()),
            number * unit <= Self.longest
        {
            self = .after(number * unit)
        } else if let date = try? Date(text, strategy: .iso8601) {
            self = .at(date)
        } else {
            throw ValidationError(
                "'\(text.onOneLine.shortened(to: 40))' is not a valid time; give 90s, 15m, 2h or 1d from now, UNIX seconds, or "
                    + "2026-11-23T18:00:00Z.")
        }
    }

    func date(_ now: Date) -> Date {
        switch self {
        case .at(let date): date
        case .after(let seconds): now.addingTimeInterval(seconds)
        }
    }

    /// The same where the time has passed: `90s` is that long ago.
    func date(before now: Date) -> Date {
        switch self {
        case .at(let date): date
        case .after(let seconds): now.addingTimeInterval(-seconds)
        }
    }

    /// Digits with at most one period: no sign, no exponent.
    private static func number(_ text: some StringProtocol) -> Double? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }) else { return nil }
        return Double(text)
    }
}
