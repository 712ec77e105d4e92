import PushHTTP1

/// A report as Apple's documents describe it: a CSV file.
enum ExportReport {
    /// Below this number of devices, a figure of a channel is −1, so that nobody is recognized by it.
    static let fewestSubscribers = 100

    /// Each push type and day. A simulator delivers what it accepts.
    static func deliveries(_ figures: MetricFigures, days: ClosedRange<Int>) -> [UInt8] {
        let rows = figures.deliveries.filter { days.contains(Int($0.key.day)) }
            .sorted { ($0.key.day, $0.key.kind.rawValue) < ($1.key.day, $1.key.kind.rawValue) }
            .map { "\($0.key.kind.rawValue),delivered,\(date(Int($0.key.day))),\($0.value)" }
        return file(["Push Type,Status,Date (UTC),Count"] + rows)
    }

    /// Each day of the app, or of one channel.
    ///
    /// - Parameters:
    ///   - channelID: Nil for all.
    ///   - subscribers: How many devices follow each channel.
    ///   - channels: How many channels the app has.
    static func broadcasts(
        _ figures: MetricFigures, days: ClosedRange<Int>, channelID: String?, subscribers: Int, channels: Int
    ) -> [UInt8] {
        let isSmall = subscribers < fewestSubscribers
        func shown(_ figure: Int) -> Int { isSmall ? -1 : figure }
        let rows = days.map { day -> String in
            let published = figures.broadcasts
                .filter { $0.key.day == day && (channelID == nil || $0.key.channelID == channelID) }
                .reduce(0) { $0 + $1.value }
            var cells = [published, published * subscribers, subscribers * (channelID == nil ? channels : 1)]
            if channelID == nil { cells.append(channels == 0 ? 0 : subscribers) }
            return ([date(day)] + cells.map { "\(shown($0))" }).joined(separator: ",")
        }
        let unique = channelID == nil ? ",Unique Subscribers" : ""
        return file(["Date (UTC),Broadcasts Published,Broadcasts Delivered,Total Subscriptions" + unique] + rows)
    }

    /// As `2026-11-21`.
    static func date(_ day: Int) -> String { String(UTCText.iso8601(milliseconds: Int64(day) * 86_400_000).prefix(10)) }

    private static func file(_ lines: [String]) -> [UInt8] { Array((lines.joined(separator: "\n") + "\n").utf8) }
}
