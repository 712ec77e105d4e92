import Foundation
import SupervisedPush
import Testing

@testable import PushQueue

@Suite struct OutcomeRowTests {
    private static let entry = EntryID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)

    private static func outcome(
        _ word: PushOutcome.Kind, _ certainty: Certainty, index: Int = 0, reason: String? = nil, status: Int? = nil,
        timestamp: Date? = nil, attempts: Int = 1, invalidatedAt: Date? = nil
    ) throws -> QueueOutcome {
        try QueueOutcome(
            entry: entry, index: index, token: DeviceToken("Ab01"),
            PushOutcome(
                word, certainty: certainty, status: status, reason: reason,
                apnsID: index == 7 ? nil : entry.apnsID(of: index), timestamp: timestamp, invalidatedAt: invalidatedAt,
                attempts: attempts))
    }

    private static func text(_ outcome: QueueOutcome) -> String { String(decoding: outcome.row, as: UTF8.self) }

    @Test func aRowHasItsMembersInThisOrder() throws {
        let outcome = try Self.outcome(
            .rejected, .answered, index: 999, reason: "Unregistered", status: 410,
            timestamp: Date(timeIntervalSince1970: 1_800_000_000))
        let row =
            #"{"id":"0123456789abcdeffedcba9876543210","index":999,"token":"Ab01","outcome":"rejected","status":410,"#
            + #""reason":"Unregistered","apns_id":"01234567-89ab-8def-bedc-ba98765431f7","timestamp":1800000000,"#
            + #""attempts":1,"certainty":"answered","invalidated_at":1800000000}"#
        #expect(Self.text(outcome) == row)
        #expect(try QueueOutcome(row: Array(row.utf8)) == outcome)
    }

    @Test("parity: F10 – a row says whether BadDeviceToken comes from an environment that was proven")
    func aRowSaysSinceWhenATokenIsNotValid() throws {
        let answered = Date(timeIntervalSince1970: 1_800_000_000)
        let proven = try Self.outcome(
            .rejected, .answered, reason: "BadDeviceToken", status: 400, invalidatedAt: answered)
        let suspect = try Self.outcome(.rejected, .answered, reason: "BadDeviceToken", status: 400)
        for outcome in [proven, suspect] {
            #expect(outcome.isFeedback && OutcomeRowScanner.outcome(outcome.row) == outcome)
            // As other programs write it.
            let spaced = Self.text(outcome).replacingOccurrences(of: ",", with: ", ")
            #expect(try QueueOutcome(row: Array(spaced.utf8)) == outcome)
        }
        #expect(!proven.suspectsEnvironment && suspect.suspectsEnvironment)
        #expect(proven.invalidates(registeredAt: answered - 1) && !proven.invalidates(registeredAt: answered))
        #expect(!suspect.invalidates(registeredAt: .distantPast))
        let delivered = try Self.outcome(.delivered, .answered, status: 200, invalidatedAt: answered)
        #expect(!delivered.invalidates(registeredAt: .distantPast))
    }

    @Test("parity: F10 – rows that an earlier version stored: 410 counts, BadDeviceToken is suspect")
    func aRowOfAnEarlierVersionIsRead() throws {
        func stored(_ answer: String) throws -> QueueOutcome {
            try QueueOutcome(
                row: Array(
                    #"{"id":"0123456789abcdeffedcba9876543210","index":0,"token":"Ab01","outcome":"rejected",\#(answer),"attempts":1,"certainty":"answered"}"#
                        .utf8))
        }
        let bad = try stored(#""status":400,"reason":"BadDeviceToken""#)
        #expect(bad.isFeedback && bad.suspectsEnvironment && !bad.invalidates(registeredAt: .distantPast))
        let gone = try stored(#""status":410,"reason":"Unregistered","timestamp":1800000000"#)
        #expect(gone.isFeedback && !gone.suspectsEnvironment)
        #expect(gone.invalidates(registeredAt: Date(timeIntervalSince1970: 1_799_999_999)))
        #expect(!gone.invalidates(registeredAt: nil))
        #expect(!gone.invalidates(registeredAt: Date(timeIntervalSince1970: 1_800_000_000)))
        // Nobody knows since when.
        let undated = try stored(#""status":410,"reason":"Unregistered""#)
        #expect(undated.isFeedback && !undated.invalidates(registeredAt: .distantPast))
    }

    @Test(arguments: [1_800_000_000_000, 1_800_000_000_007, 1_800_000_000_250] as [Int64])
    func aRowSaysWhenThePushEndedAndOfWhichCampaign(milliseconds: Int64) throws {
        let ended = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
        for reason in ["Unregistered", "a \"quoted\" word"] {
            let outcome = try QueueOutcome(
                entry: Self.entry, index: 3, token: DeviceToken("Ab01"), campaign: CampaignName("spring-1.x_"),
                PushOutcome(.rejected, status: 400, reason: reason, attempts: 1, endedAt: ended))
            let text = Self.text(outcome)
            let fraction = String(1_000 + milliseconds % 1_000).dropFirst()
            #expect(text.hasSuffix(#","ended_at":1800000000.\#(fraction),"campaign":"spring-1.x_"}"#), "\(text)")
            #expect(try QueueOutcome(row: outcome.row) == outcome)
            #expect((OutcomeRowScanner.outcome(outcome.row) == outcome) == (reason == "Unregistered"))
            let spaced = text.replacingOccurrences(of: ",", with: ", ")
            #expect(try QueueOutcome(row: Array(spaced.utf8)) == outcome)
            #expect(try JSONDecoder().decode(QueueOutcome.self, from: JSONEncoder().encode(outcome)) == outcome)
        }
    }

    @Test func whatIsNotKnownIsLeftOut() throws {
        let outcome = try Self.outcome(.failed, .notSent, index: 7, attempts: 0)
        let row =
            #"{"id":"0123456789abcdeffedcba9876543210","index":7,"token":"Ab01","outcome":"failed","attempts":0,"#
            + #""certainty":"not_sent"}"#
        #expect(Self.text(outcome) == row)
        #expect(try QueueOutcome(row: Array(row.utf8)) == outcome)
    }

    @Test(arguments: [#"a "quote""#, "a\\slash", "a\nline", "Reykjavík", "", "\u{1}"])
    func everyReasonIsReadBack(reason: String) throws {
        let outcome = try Self.outcome(.unknown, .unknown, reason: reason)
        #expect(try QueueOutcome(row: outcome.row) == outcome)
    }

    @Test(arguments: [0, 1, 9, 10, 99, 100, 1_000_000_007, Int.max, -1, Int.min])
    func everyNumberIsReadBack(number: Int) throws {
        let outcome = try Self.outcome(.delivered, .answered, status: number, attempts: number)
        #expect(try QueueOutcome(row: outcome.row) == outcome)
    }

    /// A damaged list may have them.
    @Test(arguments: [Int64.max, .min]) func aTimestampThatNoClockShowsIsReadBack(timestamp: Int64) throws {
        let row =
            #"{"id":"0123456789abcdeffedcba9876543210","index":0,"token":"Ab01","outcome":"rejected","status":410,"#
            + #""timestamp":\#(timestamp),"attempts":1,"certainty":"answered","invalidated_at":\#(timestamp)}"#
        let outcome = try QueueOutcome(row: Array(row.utf8))
        #expect(Self.text(outcome) == row)
    }

    @Test func rowsOfOthersAreReadToo() throws {
        let outcome = try Self.outcome(.delivered, .answered, status: 200)
        let row = """
            { "certainty": "answered", "attempts": 1, "status": 200, "outcome": "delivered", "token": "Ab01",
              "index": 0, "id": "0123456789ABCDEFFEDCBA9876543210", "other": [],
              "apns_id": "01234567-89AB-8DEF-BEDC-BA9876543210" }
            """
        #expect(try QueueOutcome(row: Array(row.utf8)) == outcome)
        #expect(OutcomeRowScanner.outcome(Array(row.utf8)) == nil)
        #expect(OutcomeRowScanner.outcome(outcome.row) == outcome)
    }

    @Test func aRowThatIsCutOrChangedIsRefusedOrReadAsBefore() throws {
        let row = try Self.outcome(
            .rejected, .answered, reason: "Unregistered", status: 410,
            timestamp: Date(timeIntervalSince1970: 1_800_000_000)
        ).row
        for end in row.indices {
            #expect(OutcomeRowScanner.outcome(Array(row[..<end])) == nil)
            #expect(throws: QueueError.self) { try QueueOutcome(row: Array(row[..<end])) }
        }
        #expect(OutcomeRowScanner.outcome(row + [UInt8(ascii: " ")]) == nil)
        for number in ["01", "1.0", "-", "", "1000000000000000000"] {
            let text = String(decoding: row, as: UTF8.self).replacingOccurrences(of: ":410", with: ":\(number)")
            #expect(OutcomeRowScanner.outcome(Array(text.utf8)) == nil)
        }
    }
}
