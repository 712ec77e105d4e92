import Foundation
import PushProtocol
import Testing

@Suite struct PushResponseTests {
    private func rejected(_ status: Int, _ body: String) -> PushResponse {
        ResponseDecoder.decode(status: status, headers: .init(), body: Array(body.utf8), isComplete: true)
    }

    @Test("parity: R12 – status, headers, body as hash or raw, ok?")
    func everythingOfAnAnswerIsKept() {
        var headers = ResponseHeaders()
        headers.append(name: "apns-id", value: "9CC486EA-EA83-9351-40DF-0A1B2C3D4E5F")
        headers.append(name: "apns-unique-id", value: "5f4e3d2c-0000-4000-8000-0a1b2c3d4e5f")
        headers.append(name: "content-type", value: "application/json")
        headers.append(name: "content-type", value: "second")
        headers.append(name: "empty", value: "")
        let body = Array(#"{"reason":"Unregistered","timestamp":1700000000123,"more":[1]}"#.utf8)
        let response = ResponseDecoder.decode(status: 410, headers: headers, body: body, isComplete: true)
        #expect(response.status == 410)
        #expect(!response.isAccepted)
        #expect(response.reason == .unregistered)
        #expect(response.timestampMilliseconds == 1_700_000_000_123)
        #expect(response.timestamp == Date(timeIntervalSince1970: 1_700_000_000.123))
        #expect(response.apnsID == APNSID("9cc486ea-ea83-9351-40df-0a1b2c3d4e5f"))
        #expect(response.uniqueID == "5f4e3d2c-0000-4000-8000-0a1b2c3d4e5f")
        #expect(
            response.headers.fields.map(\.name) == [
                "apns-id", "apns-unique-id", "content-type", "content-type", "empty",
            ])
        #expect(response.headers["content-type"] == "application/json")
        #expect(response.headers["empty"] == "")
        #expect(response.headers["absent"] == nil)
        #expect(response.body == body)
        #expect(response.bodyJSON == ["reason": "Unregistered", "timestamp": 1_700_000_000_123, "more": [1]])
        #expect(response.bodyText.hasPrefix("{"))
        #expect(response.description == "410 Unregistered (apns-id 9cc486ea-ea83-9351-40df-0a1b2c3d4e5f)")
    }

    @Test func aRejectionIsAnErrorForWhoAsksForAcceptance() throws {
        let accepted = PushResponse(status: 200)
        #expect(try accepted.accepted() == accepted)
        let gone = rejected(410, #"{"reason":"Unregistered"}"#)
        let error = #expect(throws: PushRejection.self) { try gone.accepted() }
        #expect(error?.response == gone && error?.localizedDescription == error?.description)
        #expect(error?.description.hasPrefix("APNs rejected the push: 410 Unregistered. ") == true)
        let unnamed = #expect(throws: PushRejection.self) { try self.rejected(502, "<html>").accepted() }
        #expect(unnamed?.description == "APNs rejected the push: 502.")
    }

    @Test func anAcceptedPushHasNoReasonAndNoAdvice() {
        let response = PushResponse(status: 200, body: Array(#"{"reason":"Unregistered"}"#.utf8))
        #expect(response.isAccepted)
        #expect(response.reason == nil)
        #expect(response.advice == nil)
        #expect(response.apnsID == nil)
        #expect(response.bodyJSON?["reason"] == "Unregistered")
        #expect(PushResponse(status: 201).isAccepted == false)
    }

    @Test(arguments: [
        "", "{", "null", "[]", "\"BadTopic\"", "<html>502 Bad Gateway</html>", "{}", #"{"reason":null}"#,
        #"{"reason":7}"#, #"{"reason":""}"#, #"{"reason":"Bad\nTopic"}"#, #"{"reason":"Bad\u0000"}"#,
        #"{"reason":"BadTopic"} trailing"#, #"{"error":{"reason":"BadTopic"}}"#, "\u{0}\u{1}",
    ])
    func aBodyWithoutAReadableReasonSurvives(body: String) {
        let response = rejected(400, body)
        #expect(response.reason == nil)
        #expect(response.timestamp == nil)
        #expect(response.advice == .fixRequest)
        #expect(response.bodyText == body)
        #expect(response.description == "400")
    }

    @Test func bodiesOverTheLimitAndReasonsOverTheLimitSurvive() {
        let long = #"{"reason":"BadTopic","x":""# + String(repeating: "x", count: ResponseDecoder.maxBodyBytes) + "\"}"
        #expect(rejected(400, long).reason == nil)
        #expect(rejected(400, long).body.count == long.utf8.count)
        #expect(rejected(400, #"{"reason":"\#(String(repeating: "x", count: 129))"}"#).reason == nil)
        #expect(rejected(400, #"{"reason":"\#(String(repeating: "x", count: 128))"}"#).reason != nil)
        #expect(rejected(400, String(repeating: "[", count: 16_000)).reason == nil)
        #expect(PushResponse(status: 400, body: [0xff, 0xfe]).bodyJSON == nil)
    }

    @Test(arguments: [
        ("1700000000123", 1_700_000_000_123 as Int64?), ("1700000000123.9", 1_700_000_000_123),
        ("1.700000000123e12", 1_700_000_000_123), ("\"1700000000123\"", 1_700_000_000_123),
        ("\"1.7e12\"", 1_700_000_000_000), ("\"soon\"", nil), ("\"inf\"", nil), ("\"nan\"", nil), ("null", nil),
        ("true", nil), ("-5", nil), ("0", nil), ("1e300", nil), ("[]", nil), ("99999999999999999999", nil),
    ])
    func timestampsAreReadInAnyFormOrLeftOut(text: String, expected: Int64?) {
        let response = rejected(410, #"{"timestamp":\#(text),"reason":"Unregistered"}"#)
        #expect(response.timestampMilliseconds == expected)
        #expect(response.reason == .unregistered)
    }

    @Test func anAnswerCutOffKeepsItsStatus() {
        let response = ResponseDecoder.decode(
            status: 410, headers: .init(), body: Array(#"{"reason":"Unreg"#.utf8), isComplete: false)
        #expect(response.status == 410)
        #expect(response.isComplete == false)
        #expect(response.reason == nil)
        #expect(response.advice == .dropToken)
        #expect(response.description == "410, incomplete")
    }

    @Test func theReasonOfAGoAwayIsRead() {
        #expect(
            ResponseDecoder.goAwayReason(Array(#"{"reason":"BadCertificateEnvironment"}"#.utf8))
                == .badCertificateEnvironment)
        #expect(ResponseDecoder.goAwayReason([]) == nil)
        #expect(ResponseDecoder.goAwayReason(Array("bye".utf8)) == nil)
    }

    @Test func headersOfAnyBytesAreKept() {
        var headers = ResponseHeaders()
        #expect(headers.isEmpty)
        headers.append(name: "", value: "")
        headers.append(name: "ü", value: String(repeating: "v", count: 70_000))
        #expect(headers.fields.map(\.name) == ["", "ü"])
        #expect(headers["ü"]?.utf8.count == 70_000)
        #expect(headers[""] == "")
    }

    private func retryAfter(_ text: String?) -> Duration? {
        var headers = ResponseHeaders()
        if let text { headers.append(name: "retry-after", value: text) }
        // Sun, 06 Nov 1994 08:49:37 GMT.
        return PushResponse(status: 503, headers: headers).retryAfter { 784_111_777_000 }
    }

    @Test func retryAfterIsANumberOfSecondsOrADate() {
        #expect(retryAfter("0") == .zero && retryAfter("120") == .seconds(120))
        #expect(retryAfter("99999999999999999999") == .seconds(UInt32.max))
        #expect(retryAfter("Sun, 06 Nov 1994 08:49:47 GMT") == .seconds(10))
        #expect(retryAfter("Sun, 06 Nov 1994 08:49:37 GMT") == .zero)
        #expect(retryAfter("Sat, 05 Nov 1994 08:49:37 GMT") == .zero)
        for text in [nil, "", "-1", "1.5", "1 ", "soon", "Sun, 06 Nov 1994 08:49:47 CET"] {
            #expect(retryAfter(text) == nil, "\(text ?? "none")")
        }
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799),
        ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800), ("Thu, 31 Dec 2099 12:00:00 GMT", 4_102_401_600),
        ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
    ])
    func datesAreCountedFrom1970(_ text: String, _ seconds: Int64) {
        #expect(HTTPDate.seconds(text) == seconds)
    }

    @Test func anAnswerSaysWhatHeldItsRetryBack() {
        var response = PushResponse(status: 503)
        #expect(response.retryHeldBack == nil && response.description == "503")
        response.retryHeldBack = .breaker
        #expect(response.description == "503, not retried (breaker)")
        #expect(
            [RetryHeldBack.breaker, .budget, .time, .waiting].map(\.name) == ["breaker", "budget", "time", "waiting"])
    }
}
