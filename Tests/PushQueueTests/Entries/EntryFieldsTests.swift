import Foundation
import PushQueue
import SupervisedPush
import Testing

@Suite struct EntryFieldsTests {
    static let token = String(repeating: "ab", count: 32)

    static func entry(_ change: (inout QueueEntry) -> Void = { _ in }) throws -> QueueEntry {
        var notification = PushNotification(
            payload: try Payload(json: #"{"aps":{"alert":"Boarding"}}"#), pushType: .alert, topic: "com.example.app",
            priority: .immediate, expiration: Expiration(unixSeconds: 1_900_000_000),
            collapseID: try CollapseID("A998"), timeout: .milliseconds(2_500))
        notification.waived = [PushRules.priority, .content]
        var entry = try QueueEntry(
            notification, to: [DeviceToken(token), DeviceToken(String(repeating: "0C", count: 40))],
            notBefore: Date(timeIntervalSince1970: 1_800_000_000.25),
            deadline: Date(timeIntervalSince1970: 1_800_000_060),
            neverRepeats: true, campaign: CampaignName("spring"), isUrgent: true)
        change(&entry)
        return entry
    }

    static func read(_ fields: [EntryField]) throws(QueueError) -> QueueEntry {
        try EntryFields.decode(fields, fallback: EntryID(high: 1, low: 2))
    }

    @Test func whatIsWrittenIsReadBack() throws {
        let entry = try Self.entry()
        let read = try Self.read(EntryFields.encode(entry))
        #expect(read.id == entry.id && read.tokens == entry.tokens && read.neverRepeats && read.isUrgent)
        #expect(read.campaign == entry.campaign)
        #expect(read.notBefore == entry.notBefore && read.deadline == entry.deadline)
        #expect(read.notification.payload == entry.notification.payload)
        #expect(read.notification.pushType == .alert && read.notification.topic == "com.example.app")
        #expect(read.notification.priority == .immediate && read.notification.collapseID?.text == "A998")
        #expect(read.notification.expiration == entry.notification.expiration)
        #expect(
            read.notification.timeout == .milliseconds(2_500)
                && read.notification.waived == [PushRules.priority, .content])
    }

    @Test func whatIsNotSetIsNotStored() throws {
        let entry = try QueueEntry(
            PushNotification(payload: Payload(json: #"{"aps":{}}"#)), to: [DeviceToken(Self.token)])
        let fields = try EntryFields.encode(entry)
        #expect(fields.map(\.name) == ["id", "tokens", "payload"])
        let read = try Self.read(fields)
        #expect(read.notBefore == nil && read.deadline == nil && read.notification.topic == nil)
        #expect(!read.neverRepeats && !read.isUrgent)
    }

    @Test func anEntryOfAnotherLanguageNeedsTwoFields() throws {
        let read = try Self.read([
            EntryField("payload", Array(#"{"aps":{"alert":"Hi"}}"#.utf8)), EntryField("tokens", Array(Self.token.utf8)),
        ])
        #expect(read.id == EntryID(high: 1, low: 2) && read.tokens.map(\.hex) == [Self.token])
    }

    @Test(arguments: [
        ("tokens", "xyz", "has a device token that is not valid"), ("tokens", "", "has no tokens"),
        ("payload", "[]", "has an invalid payload"),
        ("priority", "high", "has an invalid priority: it must be 1, 5 or 10"),
        ("priority", "7", "has an invalid priority: it must be 1, 5 or 10"),
        ("expiration", "soon", "has an invalid expiration"), ("once", "yes", "has an invalid once: it must be 0 or 1"),
        ("urgent", "2", "has an invalid urgent: it must be 0 or 1"),
        ("not_before", "nan", "has an invalid not_before"), ("deadline", "1e300", "has an invalid deadline"),
        ("collapse-id", "A998", "has a field 'collapse-id', which no entry has"), ("id", "7", "has an invalid id"),
        ("campaign", "a b", "has an invalid campaign: it must be 1 to 100 letters"),
        ("headers", "{", "has an invalid headers"),
        ("timeout", "soon", "has an invalid timeout: it must be a number of seconds above 0"),
        ("timeout", "0", "has an invalid timeout"), ("timeout", "-1.5", "has an invalid timeout"),
        ("timeout", "1e-30", "has an invalid timeout"), ("timeout", "1e300", "has an invalid timeout"),
        ("timeout", "nan", "has an invalid timeout"),
        ("waived", "gravity", "has an invalid waived: it must be names of rules"),
    ])
    func whatIsWrongIsNamed(_ name: String, _ value: String, _ sentence: String) throws {
        var fields = try EntryFields.encode(Self.entry()).filter { $0.name != name }
        fields.append(EntryField(name, Array(value.utf8)))
        let error = #expect(throws: QueueError.self) { try Self.read(fields) }
        #expect(error?.code == .invalidEntry)
        #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: EntryField.Name.allCases) func aRepeatedFieldIsRefused(_ name: EntryField.Name) throws {
        var fields = try EntryFields.encode(Self.entry { $0.notification.headers = RequestHeaders() })
        let value = fields.first { $0.name == name.rawValue }?.value ?? Array("{}".utf8)
        fields.removeAll { $0.name == name.rawValue }
        fields = Array(repeating: EntryField(name.rawValue, value), count: 2) + fields
        let error = #expect(throws: QueueError.self) { try Self.read(fields) }
        #expect(error?.code == .invalidEntry)
        if name != .headers { #expect(error?.description.contains("more than one \(name.rawValue)") == true) }
    }

    @Test(arguments: [("A", 1), ("A  A", 2), (" A", 1), ("A ", 1), ("   A A   A  ", 3)])
    func anyNumberOfSpacesSeparatesTokens(_ pattern: String, _ count: Int) throws {
        var fields = try EntryFields.encode(Self.entry()).filter { $0.name != "tokens" }
        fields.append(EntryField("tokens", Array(pattern.replacing("A", with: Self.token).utf8)))
        let token = try DeviceToken(Self.token)
        #expect(try Self.read(fields).tokens == Array(repeating: token, count: count))
    }

    @Test(arguments: ["", " ", "   "]) func spacesAloneAreNoTokens(_ text: String) throws {
        let fields = try EntryFields.encode(Self.entry()).filter { $0.name != "tokens" }
        let error = #expect(throws: QueueError.self) {
            try Self.read(fields + [EntryField("tokens", Array(text.utf8))])
        }
        #expect(error?.description.contains("has no tokens") == true, "\(error?.description ?? "")")
    }

    /// `tokens $T1 $T2 payload …` without quotation marks makes a device token the name of a field.
    @Test(arguments: [token, "0123456789abcdef0123", "collapse-id-of-an-orde", "Topic", "", "{\"aps\":{}}", "töpic"])
    func aNameThatMayBeATokenIsNotShown(_ name: String) throws {
        let fields = try EntryFields.encode(Self.entry()) + [EntryField(name, Array("payload".utf8))]
        let error = #expect(throws: QueueError.self) { try Self.read(fields) }
        #expect(
            error?.description
                == "The entry has a field with a name that no entry has; values with spaces must be in quotation marks."
        )
    }

    @Test func anErrorShowsNoTokenAndNoPayload() throws {
        let fields = [EntryField("payload", Array("secret".utf8)), EntryField("tokens", Array("deadbeefzz".utf8))]
        for fields in [fields, fields.reversed()] {
            let error = #expect(throws: QueueError.self) { try Self.read(fields) }
            #expect(error?.description.contains("deadbeef") == false && error?.description.contains("secret") == false)
        }
    }

    @Test func aProviderTokenIsNotStored() throws {
        let entry = try Self.entry { $0.notification.authorization = try? BearerToken("a.b.c") }
        #expect(entry.notification.authorization != nil)
        #expect(throws: QueueError.self) { try EntryFields.encode(entry) }
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, 1e12])
    func aTimeThatCouldNotBeReadBackIsNotStored(_ seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        let entries = [try Self.entry { $0.notBefore = date }, try Self.entry { $0.deadline = date }]
        for (entry, name) in zip(entries, ["not_before", "deadline"]) {
            let error = #expect(throws: QueueError.self) { try EntryFields.encode(entry) }
            #expect(error?.code == .invalidEntry && error?.description.contains("has a \(name) of") == true)
        }
    }

    @Test func aTimeoutOfAgesIsNotStored() throws {
        let entry = try Self.entry { $0.notification.timeout = .seconds(1_000_000_000_000) }
        let error = #expect(throws: QueueError.self) { try EntryFields.encode(entry) }
        #expect(error?.code == .invalidEntry && error?.description.contains("has a timeout of") == true)
    }

    @Test(arguments: [Duration.zero, .milliseconds(-1), .seconds(Int64.min)])
    func aTimeoutOfNothingIsNotStored(_ timeout: Duration) throws {
        let entry = try Self.entry { $0.notification.timeout = timeout }
        let error = #expect(throws: QueueError.self) { try EntryFields.encode(entry) }
        #expect(error?.code == .invalidEntry && error?.description.contains("has a timeout of") == true)
    }

    @Test func theShortestTimeoutIsReadBack() throws {
        let shortest = Duration(secondsComponent: 0, attosecondsComponent: 1)
        let entry = try Self.entry { $0.notification.timeout = shortest }
        #expect(try Self.read(EntryFields.encode(entry)).notification.timeout == shortest)
    }

    @Test func moreThanAThousandTokensAreNoEntry() throws {
        let token = try DeviceToken(Self.token)
        let notification = PushNotification(payload: try Payload(json: #"{"aps":{}}"#))
        #expect(throws: QueueError.self) { try QueueEntry(notification, to: []) }
        #expect(throws: QueueError.self) { try QueueEntry(notification, to: Array(repeating: token, count: 1_001)) }
        #expect(try QueueEntry(notification, to: Array(repeating: token, count: 1_000)).tokens.count == 1_000)
    }

    @Test func anOutcomesRowIsReadBack() throws {
        let rows = [
            QueueOutcome(
                entry: EntryID(), index: 999, token: try DeviceToken(Self.token),
                PushOutcome(
                    .rejected, status: 410, reason: "Unregistered", apnsID: EntryID().apnsID(of: 999),
                    timestamp: Date(timeIntervalSince1970: 1_800_000_000), attempts: 2)),
            QueueOutcome(entry: EntryID(), index: 0, token: try DeviceToken(Self.token), PushOutcome(.unknown)),
        ]
        for row in rows { #expect(try QueueOutcome(row: row.row) == row) }
        #expect(rows.map(\.isFeedback) == [true, false])
        #expect(throws: QueueError.self) { try QueueOutcome(row: Array("{}".utf8)) }
    }
}
