/// What is asked of Apple's export: a data set of an app, and the days.
package struct ExportOrder: Sendable, Hashable {
    /// The data sets, by Apple's names.
    package enum Dataset: String, Sendable, CaseIterable {
        case delivery = "deliverymetrics"
        case broadcast = "broadcastapplicationmetric"
        case channel = "broadcastchannelmetrics"
    }

    /// Apple's limit: how many days before today the first one may be.
    package static let mostDaysBack = 30
    /// How many days are asked for without a choice.
    private static let usualDays = 7
    /// How many minutes the report's address stays valid: Apple allows 20 to 60.
    private static let minutes = 60

    package let teamID: String
    package let appID: String
    package let dataset: Dataset
    /// The channel of ``Dataset/channel``.
    package let channelID: String?
    package let from: CalendarDay
    package let to: CalendarDay

    /// Why an order cannot be given.
    package enum Problem: Error, Sendable, Equatable {
        case teamID
        case appID
        case channelID
        /// The value of this flag is no day.
        case dayMalformed(String)
        /// The last day is not at least one day in the past.
        case lastDayTooLate(latest: CalendarDay)
        case firstDayTooEarly(earliest: CalendarDay)
        /// Apple wants the last day later than the first.
        case daysNotInOrder
    }

    /// - Parameters:
    ///   - from: The first day; nil for six days before the last one.
    ///   - to: The last day; nil for yesterday.
    package init(
        _ dataset: Dataset, teamID: String, appID: String, channelID: String? = nil, from: CalendarDay? = nil,
        to: CalendarDay? = nil, today: CalendarDay
    ) throws(Problem) {
        guard Self.isPathPart(teamID, most: 40) else { throw .teamID }
        guard Self.isPathPart(appID, most: 255) else { throw .appID }
        if dataset == .channel {
            guard let channelID, Self.isBase64(channelID) else { throw .channelID }
        }
        let (earliest, latest) = (today.adding(-Self.mostDaysBack), today.adding(-1))
        let last = to ?? latest
        let first = from ?? max(last.adding(1 - Self.usualDays), earliest)
        guard last <= latest else { throw .lastDayTooLate(latest: latest) }
        guard first >= earliest else { throw .firstDayTooEarly(earliest: earliest) }
        guard first < last else { throw .daysNotInOrder }
        (self.teamID, self.appID, self.dataset, self.channelID) = (teamID, appID, dataset, channelID)
        (self.from, self.to) = (first, last)
    }

    /// Where the report is requested.
    var target: String {
        "/v1/dataExports/apns/teams/\(teamID)/appId/\(appID)/datasetName/\(dataset.rawValue)/request"
    }

    /// The request's JSON. No value in it has a character that JSON escapes, except the solidus, which may stand as it is.
    var body: [UInt8] {
        var members = [
            #""startDate":"\#(from)""#, #""endDate":"\#(to)""#, #""dataDownloadUrlExpiresInMinutes":\#(Self.minutes)"#,
        ]
        if let channelID { members.append(#""channelId":"\#(channelID)""#) }
        return Array("{\(members.joined(separator: ","))}".utf8)
    }

    private static func isPathPart(_ text: String, most: Int) -> Bool {
        (1...most).contains(text.utf8.count) && text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == 0x2D || $0 == 0x2E }
            && text.utf8.contains(where: isLetterOrDigit)
    }

    private static func isBase64(_ text: String) -> Bool {
        (1...1_024).contains(text.utf8.count)
            && text.utf8.allSatisfy { isLetterOrDigit($0) || "+/=".utf8.contains($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }
}
