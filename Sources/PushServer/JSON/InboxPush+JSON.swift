import FoundationEssentials
import PushInspection
import PushReview
import PushSimulator
import PushTerminal
import SupervisedPush

/// A push as the API gives it.
extension InboxPush {
    /// With the members of a line of `simulate --log`, and a number, type, priority and checks.
    var listed: [UInt8] {
        var own = JSONObject()
        own.add { addOwnMembers(to: &$0) }
        own.add("checks", json: checksJSON)
        // Both are objects: `{a}` and `{b}` become `{a,b}`.
        return own.json.dropLast() + [ASCII.comma] + request.line.dropFirst().dropLast()
    }

    /// The checks are those of pushes to devices; a broadcast goes through others.
    private var checksJSON: [UInt8] {
        guard deviceToken != nil else { return Array("null".utf8) }
        var checks = JSONLine()
        checks.add("passed", CheckName.passed(upTo: refusedAt, isRefused: refusal != nil))
        checks.add("failed", CheckName.failed(at: refusedAt, refusal))
        return Array(checks.line.dropLast())
    }

    private func addOwnMembers(to object: inout JSONLine) {
        object.add("number", number)
        object.add("type", pushType)
        object.add("priority", priority.flatMap { Int($0) })
        object.add("title", title)
        if let channelID { object.add("channel_id", channelID) }
        object.add("collapse_id", collapseID)
        object.add("answered_id", answeredID)
    }

    /// What a list shows of it.
    var summary: [UInt8] {
        var object = JSONLine()
        object.add("number", number)
        object.add("time", UTC.text(milliseconds: wallClock))
        object.add("connection", request.connection.number)
        object.add("stream", request.stream)
        if let deviceToken { object.add("token", deviceToken.shortened(to: 200)) }
        if let channelID { object.add("channel_id", channelID) }
        object.add("topic", topic?.shortened(to: 200))
        object.add("type", pushType?.shortened(to: 40))
        object.add("priority", priority.flatMap { Int($0) })
        object.add("status", status)
        object.add("reason", refusal?.rawValue)
        object.add("title", title)
        object.add("collapse_id", collapseID?.shortened(to: 80))
        object.add("bytes", request.bodyCount)
        return Array(object.line.dropLast())
    }

    /// Everything that is known about it.
    var detail: [UInt8] {
        var object = JSONObject()
        object.add { addFacts(to: &$0) }
        object.add("sender", json: senderJSON)
        let checks = deviceToken == nil ? [] : CheckName.list(refusedAt: refusedAt, isRefused: refusal != nil)
        object.add("check_list", list: checks)
        object.add("review", texts: PayloadReview.findings(in: payload, type: pushType))
        object.add("copy", json: copyJSON)
        let facts = object.json
        return Array(listed.dropLast()) + [ASCII.comma] + facts.dropFirst()
    }

    private func addFacts(to object: inout JSONLine) {
        let limit = pushType == "voip" || channelID != nil ? 5_120 : 4_096
        object.add("limit", limit)
        object.add("expiration", expiration.flatMap { Int64($0) })
        object.add("payload_text", payload.isEmpty ? nil : String(decoding: payload, as: UTF8.self))
        object.add("is_whole", payload.count == request.bodyCount)
        guard let refusal else { return }
        let reason = RejectionReason(rawValue: refusal.rawValue)
        object.add("meaning", reason.meaning)
        object.add("remedy", reason.remedy)
    }

    private var senderJSON: [UInt8] {
        var object = JSONLine()
        switch sender {
        case .token(let keyID, let teamID, let issuedAt):
            object.add("kind", "token")
            object.add("key_id", keyID)
            object.add("team_id", teamID)
            object.add("issued_at", UTC.text(seconds: issuedAt))
            object.add("age_seconds", wallClock / 1_000 - UTC.clamped(seconds: issuedAt))
        case .certificate(let subjectUID, let teamID):
            object.add("kind", "certificate")
            object.add("subject_uid", subjectUID)
            object.add("team_id", teamID)
        case nil: return Array("null".utf8)
        }
        return Array(object.line.dropLast())
    }

    private var copyJSON: [UInt8] {
        let copy = PushCopy(
            deviceToken: deviceToken, channelID: channelID, bundleID: topic ?? "",
            headers: HeaderFields(headerLines).list,
            payload: payload, isWhole: payload.count == request.bodyCount)
        var object = JSONLine()
        object.add("curl", copy.curl)
        object.add("pushctl", copy.pushctl)
        object.add("swift", copy.swift)
        return Array(object.line.dropLast())
    }

    /// A few words for a list; nil without any.
    var title: String? {
        guard let json = parsedPayload else { return nil }
        let alert = json["aps"]?["alert"]
        let words =
            alert?.stringValue ?? alert?["title"]?.stringValue ?? alert?["body"]?.stringValue
            ?? alert?["title-loc-key"]?.stringValue ?? alert?["loc-key"]?.stringValue
            ?? json["aps"]?["event"]?.stringValue
        return words?.onOneLine.shortened(to: 120)
    }
}
