import Foundation
import Testing

@testable import SupervisedPush

/// How answers and errors become outcomes: the words of docs/pushctl.md, and what they say to do.
@Suite struct PushOutcomeTests {
    /// One row of the table of errors: each code, with the certainties that it comes with.
    struct Row: CustomTestStringConvertible, Sendable {
        let code: PushError.Code
        let certainty: Certainty
        var deadline: PushError.Deadline?
        var hasOutage = false
        var unknownAttempt: PushError.Code?
        let kind: PushOutcome.Kind
        let reason: String

        init(
            _ code: PushError.Code, _ certainty: Certainty, deadline: PushError.Deadline? = nil,
            hasOutage: Bool = false,
            unknownAttempt: PushError.Code? = nil, _ kind: PushOutcome.Kind, _ reason: String
        ) {
            (self.code, self.certainty, self.deadline) = (code, certainty, deadline)
            (self.hasOutage, self.unknownAttempt) = (hasOutage, unknownAttempt)
            (self.kind, self.reason) = (kind, reason)
        }

        var error: PushError {
            let outage = Outage(cause: LinkFailure(.connect, "Refused."), attempt: 1, nextAttempt: nil)
            var error = PushError(
                code, at: .request, certainty: certainty, deadline: deadline, outage: hasOutage ? outage : nil, "")
            error.unknownAttempt = unknownAttempt
            return error
        }

        var testDescription: String { "\(code) \(certainty.rawValue) \(deadline?.rawValue ?? "")" }
    }

    static let rows: [Row] = [
        Row(.invalidRequest, .notSent, .failed, "invalid_input"),
        Row(.wouldDeadlock, .notSent, .failed, "invalid_input"),
        Row(.payloadTooLarge, .notSent, .failed, "payload_too_large"),
        Row(.overloaded, .notSent, .failed, "overloaded"),
        Row(.dropped, .notSent, .failed, "overloaded"),
        Row(.expired, .notSent, deadline: .expiration, .failed, "expired"),
        Row(.expired, .unprocessed, deadline: .expiration, .failed, "expired"),
        Row(.timedOut, .notSent, deadline: .timeout, .failed, "timed_out"),
        Row(.timedOut, .notSent, deadline: .timeout, hasOutage: true, .failed, "not_connected"),
        Row(.timedOut, .notSent, deadline: .outage, .failed, "not_connected"),
        Row(.timedOut, .unprocessed, deadline: .timeout, .failed, "unprocessed"),
        Row(.timedOut, .unprocessed, deadline: .outage, .failed, "not_connected"),
        Row(.timedOut, .unknown, deadline: .timeout, .unknown, "timed_out"),
        Row(.timedOut, .unknown, deadline: .outage, .unknown, "cancelled"),
        Row(.timedOut, .unknown, deadline: .outage, unknownAttempt: .connectionLost, .unknown, "connection_lost"),
        Row(.unprocessed, .unprocessed, .failed, "unprocessed"),
        Row(.streamReset, .unprocessed, .failed, "unprocessed"),
        Row(.streamReset, .unknown, .unknown, "stream_reset"),
        Row(.badResponse, .unknown, .unknown, "bad_response"),
        Row(.badResponse, .answered, .unknown, "bad_response"),
        Row(.connectionLost, .unknown, .unknown, "connection_lost"),
        Row(.connectionLost, .notSent, .failed, "not_connected"),
        Row(.connectionLost, .unprocessed, .failed, "unprocessed"),
        Row(.tooManyAttempts, .unprocessed, .failed, "too_many_attempts"),
        Row(.tooManyAttempts, .unknown, unknownAttempt: .streamReset, .unknown, "stream_reset"),
        Row(.credentialRefused, .notSent, .failed, "credential"),
        Row(.credentialRefused, .unprocessed, .failed, "credential"),
        Row(.cancelled, .notSent, .failed, "cancelled"),
        Row(.cancelled, .unprocessed, .failed, "cancelled"),
        Row(.cancelled, .unknown, .unknown, "cancelled"),
        Row(.closed, .notSent, .failed, "not_connected"),
        Row(.closed, .unknown, .unknown, "cancelled"),
        Row(.noProcess, .notSent, .failed, "not_connected"),
        Row(.unknownName, .notSent, .failed, "not_connected"),
        Row(.processFailed, .notSent, .failed, "not_connected"),
        Row(.processFailed, .unprocessed, .failed, "unprocessed"),
        Row(.processFailed, .unknown, .unknown, "connection_lost"),
    ]

    @Test(arguments: rows)
    func anErrorHasOneWordAndOneReason(_ row: Row) {
        let outcome = PushOutcome(.failure(row.error), attempts: 3)
        #expect(outcome.kind == row.kind && outcome.reason == row.reason && row.error.reason == row.reason)
        #expect(outcome.certainty == (row.certainty == .answered ? .unknown : row.certainty))
        #expect(outcome.isSafeToRepeat == (row.kind == .failed) && row.error.isSafeToRepeat == outcome.isSafeToRepeat)
        #expect(outcome.status == nil && outcome.judges == nil && outcome.attempts == 3 && !outcome.isFeedback)
    }

    @Test func anAnswerIsDeliveredOrRejected() {
        let id = APNSID()
        let delivered = PushOutcome(.success(PushResponse(status: 200)), apnsID: id, attempts: 1)
        #expect(delivered == PushOutcome(.delivered, status: 200, apnsID: id, attempts: 1))
        #expect(!delivered.isSafeToRepeat && delivered.judges == nil)

        let body = Array(#"{"reason":"Unregistered","timestamp":1800000000999}"#.utf8)
        let gone = PushOutcome(.success(PushResponse(status: 410, body: body)), attempts: 2)
        #expect(gone.kind == .rejected && gone.certainty == .answered && gone.reason == "Unregistered")
        #expect(gone.judges == .device && gone.isSafeToRepeat && gone.isFeedback)
        // Rounded down: who registered in that second is not gone.
        #expect(gone.timestamp == Date(timeIntervalSince1970: 1_800_000_000) && gone.invalidatedAt == gone.timestamp)
        #expect(gone.invalidates(registeredAt: Date(timeIntervalSince1970: 1_799_999_999)))
        #expect(!gone.invalidates(registeredAt: Date(timeIntervalSince1970: 1_800_000_000)))
    }

    static let judged: [(Int, String?, PushResponse.Subject)] = [
        (429, "TooManyRequests", .device), (403, "InvalidProviderToken", .sender),
        (400, "PayloadEmpty", .push), (503, nil, .service), (403, nil, .sender), (404, "NewInTheYear2031", .sender),
    ]

    @Test(arguments: judged)
    func aRejectionSaysWhatItJudges(status: Int, reason: String?, subject: PushResponse.Subject) {
        let body = reason.map { Array(#"{"reason":"\#($0)"}"#.utf8) } ?? []
        let outcome = PushOutcome(.success(PushResponse(status: status, body: body)))
        #expect(outcome.judges == subject && outcome.reason == reason ?? "http_\(status)")
        // Also where only the reason was stored.
        if reason == nil { #expect(PushOutcome(.rejected, reason: "http_\(status)").judges == subject) }
    }

    @Test("parity: F10 – a BadDeviceToken of an unproven environment invalidates nothing")
    func aSuspectRejectionInvalidatesNothing() {
        var response = PushResponse(status: 400, body: Array(#"{"reason":"BadDeviceToken"}"#.utf8))
        let answered = Date(timeIntervalSince1970: 1_800_000_000.75)
        let proven = PushOutcome(.success(response), endedAt: answered)
        #expect(proven.invalidatedAt == Date(timeIntervalSince1970: 1_800_000_000) && !proven.suspectsEnvironment)
        #expect(proven.endedAt == answered)
        response.suspectsEnvironment = true
        let suspect = PushOutcome(.success(response), endedAt: answered)
        #expect(suspect.suspectsEnvironment && suspect.isFeedback && !suspect.invalidates(registeredAt: .distantPast))
    }

    @Test func whatIsNoReasonIsNotStored() {
        let body = Array(#"{"reason":"\#(String(repeating: "x", count: 2_000))"}"#.utf8)
        #expect(PushOutcome(.success(PushResponse(status: 400, body: body))).reason == "http_400")
    }

    @Test func aLateAnswerCompletesATimeout() {
        let timedOut = PushOutcome(.failure(PushError(.timedOut, certainty: .unknown)), apnsID: APNSID(), attempts: 1)
        let answered = timedOut.completed(by: .answered(PushResponse(status: 200)))
        #expect(answered.kind == .delivered && answered.apnsID == timedOut.apnsID && answered.attempts == 1)
        let unprocessed = timedOut.completed(by: .unprocessed)
        #expect(
            unprocessed.kind == .failed && unprocessed.certainty == .unprocessed && unprocessed.reason == "unprocessed")
        #expect(timedOut.completed(by: .noAnswer) == timedOut)
    }

    @Test func itsJSONIsReadBack() throws {
        let outcomes = [
            PushOutcome(.delivered, status: 200, apnsID: APNSID(), attempts: 1, endedAt: Date()),
            PushOutcome(
                .rejected, status: 410, reason: "Unregistered", timestamp: Date(timeIntervalSince1970: 1_800_000_000),
                endedAt: Date(timeIntervalSince1970: 1_800_000_000.123)),
            PushOutcome(.rejected, status: 400, reason: "BadDeviceToken", invalidatedAt: Date()),
            PushOutcome(.failed, certainty: .unprocessed, reason: "unprocessed", attempts: 3),
            PushOutcome(.unknown, reason: "timed_out"),
        ]
        for outcome in outcomes {
            #expect(try JSONDecoder().decode(PushOutcome.self, from: JSONEncoder().encode(outcome)) == outcome)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(outcomes[1]), as: UTF8.self)
        let expected =
            #"{"attempts":0,"certainty":"answered","ended_at":1800000000.123,"invalidated_at":1800000000,"#
            + #""outcome":"rejected","reason":"Unregistered","status":410,"timestamp":1800000000}"#
        #expect(text == expected)
        for bad in [
            "{}", #"{"outcome":"delivered","certainty":"sure"}"#, #"{"outcome":"sent","certainty":"answered"}"#,
        ] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(PushOutcome.self, from: Data(bad.utf8)) }
        }
    }

    @Test func itsTextSaysWhatItIs() {
        #expect("\(PushOutcome(.delivered, status: 200))" == "delivered")
        #expect("\(PushOutcome(.rejected, reason: "Unregistered"))" == "rejected (Unregistered)")
        #expect("\(PushOutcome(.failed, reason: "not_connected"))" == "failed (not_connected, not_sent)")
        #expect("\(PushOutcome(.unknown, reason: "timed_out"))" == "unknown (timed_out)")
    }
}
