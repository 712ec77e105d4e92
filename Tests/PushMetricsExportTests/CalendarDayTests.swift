import Testing

@testable import PushMetricsExport

@Suite("parity: F27 – the days of an export") struct CalendarDayTests {
    @Test func aDayIsReadAndWritten() throws {
        for (text, number) in [
            ("1970-01-01", 0), ("2000-02-29", 11_016), ("2026-11-28", 20_785), ("2100-03-01", 47_541),
        ] {
            let day = try #require(CalendarDay(text))
            #expect(day.number == number && day.description == text)
        }
        #expect(CalendarDay(unixSeconds: 1_795_823_999).description == "2026-11-27")
        #expect(CalendarDay(unixSeconds: 1_795_824_000).description == "2026-11-28")
    }

    @Test func eachDayFollowsTheOneBefore() throws {
        var day = CalendarDay(number: 0)
        while day.number < 60_000 {
            let read = try #require(CalendarDay(day.description))
            #expect(read == day)
            day = day.adding(1)
        }
    }

    @Test(arguments: [
        "", "2026-02-29", "2026-04-31", "2026-13-01", "2026-00-10", "2026-1-01", "26-01-01", "2026/01/01",
        "2026-01-01T",
        "+026-01-01", "2026-01-00", "1969-12-31", "٢٠٢٦-01-01",
    ]) func whatIsNoDayIsRefused(text: String) { #expect(CalendarDay(text) == nil) }
}
