import PushHTTP2
import SupervisedPush
import Testing

@testable import PushServer
@testable import PushSimulator

extension InboxPush {
    /// When samples arrived, unless they say otherwise; milliseconds since 1970.
    static let noon: Int64 = 1_800_000_000_000

    /// A push to a device, as the simulator gives it.
    static func sample(
        _ number: Int = 1, topic: String? = "com.example.app", type: String? = nil, token: String = "aabb",
        refusal: Refusal? = nil, keyID: String? = nil, connection: Int = 1, time: Int64 = noon,
        headers: [(String, String)] = [], payload: String = #"{"aps":{"alert":"Boarding"}}"#
    ) -> InboxPush {
        InboxPush(
            number: number,
            .sample(
                topic: topic, type: type, token: token, refusal: refusal, keyID: keyID, connection: connection,
                time: time, headers: headers, payload: payload))
    }
}

extension InboxPush.Content {
    static func sample(
        topic: String? = "com.example.app", type: String? = nil, token: String = "aabb", refusal: Refusal? = nil,
        keyID: String? = nil, connection: Int = 1, time: Int64 = InboxPush.noon, headers: [(String, String)] = [],
        payload: String = #"{"aps":{"alert":"Boarding"}}"#
    ) -> InboxPush.Content {
        .push(
            .sample(
                topic: topic, type: type, token: token, refusal: refusal, keyID: keyID, connection: connection,
                time: time, headers: headers, payload: payload))
    }
}

extension ObservedPush {
    static func sample(
        topic: String? = "com.example.app", type: String? = nil, token: String = "aabb", refusal: Refusal? = nil,
        keyID: String? = nil, issuedAt: Double? = nil, connection: Int = 1, time: Int64 = InboxPush.noon,
        headers: [(String, String)] = [],
        payload: String = #"{"aps":{"alert":"Boarding"}}"#
    ) -> ObservedPush {
        var request = PushRequest()
        var fields = [(":method", "POST"), (":path", "/3/device/" + token)]
        if let topic { fields.append(("apns-topic", topic)) }
        if let type { fields.append(("apns-push-type", type)) }
        for (name, value) in fields + headers {
            request.add(name: Octets(Array(name.utf8)), value: Octets(Array(value.utf8)))
            request.headers.append(name: name, value: value)
        }
        request.body = Array(payload.utf8)
        request.bodyCount = request.body.count
        let whole = LedgerEntry.Whole(request, wallClock: time)
        whole.sender = keyID.map {
            .token(keyID: $0, teamID: "TEAMAAAAAA", issuedAt: issuedAt ?? Double(time / 1_000) - 60)
        }
        let entry = LedgerEntry(
            connection: ConnectionID(connection), stream: 1, token: request.deviceToken, message: request.messageID,
            verdict: Verdict(refusal: refusal), whole: whole)
        return ObservedPush(entry, whole, providerToken: 1)
    }
}

/// JSON of the API, read again.
func parsed(_ json: [UInt8]) throws -> JSONValue { try #require(JSONValue(parsing: json)) }
