import PushInspection
import SupervisedPush
import Testing

@testable import PushServer
@testable import PushSimulator

/// Names on which scripts depend.
@Suite("A push in JSON") struct InboxJSONTests {
    private func names(_ json: JSONValue?) -> Set<String> {
        guard case .object(let members)? = json else { return [] }
        return Set(members.keys)
    }

    private static let line: Set = [
        "connection", "stream", "time", "token", "apns_id", "topic", "status", "reason", "provider_token", "bytes",
        "headers", "payload",
    ]
    private static let own: Set = ["number", "type", "priority", "title", "collapse_id", "answered_id", "checks"]

    @Test func hasTheNamesOfALineOfTheLogAndItsOwn() throws {
        let push = InboxPush.sample(7, type: "alert", headers: [("apns-priority", "5"), ("apns-collapse-id", "c")])
        let json = try parsed(push.listed)
        #expect(names(json) == Self.line.union(Self.own))
        #expect(try names(parsed(push.request.line)) == Self.line)
        #expect(json["number"]?.integerValue == 7 && json["priority"]?.integerValue == 5)
        #expect(json["collapse_id"]?.stringValue == "c" && json["title"]?.stringValue == "Boarding")
        #expect(json["checks"]?["passed"]?.integerValue == CheckName.names.count && json["checks"]?["failed"] == .null)
        #expect(json["payload"]?["aps"]?["alert"]?.stringValue == "Boarding")
    }

    @Test func hasEverythingThatIsKnownInItsDetail() throws {
        let json = try parsed(InboxPush.sample(refusal: .badTopic, keyID: "KEYAAAAAAA").detail)
        #expect(
            names(json)
                == Self.line.union(Self.own).union([
                    "limit", "expiration", "payload_text", "is_whole", "meaning", "remedy", "sender", "check_list",
                    "review",
                    "copy",
                ]))
        #expect(
            json["sender"]?["key_id"]?.stringValue == "KEYAAAAAAA" && json["sender"]?["age_seconds"]?.integerValue == 60
        )
        #expect(names(json["copy"]) == ["curl", "pushctl", "swift"])
    }

    @Test func neverHasTheProviderToken() throws {
        let push = InboxPush.sample(headers: [("authorization", "bearer SECRET")])
        for json in [push.listed, push.summary, push.detail] {
            #expect(!String(decoding: json, as: UTF8.self).contains("SECRET"))
        }
    }

    @Test(arguments: [1e300, -1e300, .infinity, .nan, 0])
    func outlivesATokenOfAnyTime(_ issuedAt: Double) throws {
        let odd = ObservedPush.sample(keyID: "K", issuedAt: issuedAt)
        let json = try parsed(InboxPush(number: 1, .push(odd)).detail)
        #expect(json["sender"]?["issued_at"]?.stringValue?.hasSuffix("Z") == true)
    }

    @Test(arguments: [
        "", "not json", "{", #"{"aps":{"alert":"\ud800"}}"#, String(repeating: "[", count: 4_000),
        #"{"aps":{"alert":"</script>\u202e"}}"#, "\u{FEFF}{}", "{\"a\":\"\u{202E}\u{2028}\"}",
        #"{"aps":{"alert":{"title":"# + String(repeating: "9", count: 4_000) + "}}}", "[1,\n2]", "null",
    ])
    func isOneLineOfJSONWhateverWasSent(_ payload: String) throws {
        for json in [InboxPush.sample(payload: payload).detail, InboxPush.sample(payload: payload).summary] {
            _ = try parsed(json)
            #expect(!json.contains { $0 == 0x0A || $0 == 0x0D })
            #expect(
                !String(decoding: json, as: UTF8.self).unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{2028}" })
        }
    }

    @Test func hasANameForEachCheck() {
        let rows = RequestChecks.rows.map(\.number)
        // Row 12 accepts the provider token, and refuses nothing.
        #expect(CheckName.names.map(\.row) == rows.filter { $0 != 12 })
        #expect(Set(CheckName.names.map(\.name)).count == CheckName.names.count)
        #expect(
            CheckName.passed(upTo: 4, isRefused: true) == 1 && CheckName.failed(at: 4, .methodNotAllowed) == "method")
        #expect(CheckName.passed(upTo: nil, isRefused: true) == 0 && CheckName.failed(at: nil, .shutdown) == "other")
        #expect(CheckName.failed(at: 4, nil) == nil)
    }
}
