/// The answer of APNs to one push: taken over for delivery, or rejected with a reason. A rejection is an answer, not an error.
public struct PushResponse: Hashable, Sendable {
    /// What APNs decided.
    public enum Outcome: Hashable, Sendable {
        /// Status 200: APNs takes care of the push from here. Whether the device shows it, nobody reports.
        case accepted
        /// Any other status.
        case rejected
    }

    /// The HTTP status, 200 to 999.
    public let status: Int
    /// The header fields as they came.
    public let headers: ResponseHeaders
    /// The body as it came: empty, JSON or anything else; no longer than the session's limit.
    public let body: [UInt8]
    /// False if the status arrived and the rest did not: the body was cut off or over the limit.
    public let isComplete: Bool
    /// Why the push was rejected. Nil for an accepted one, and for a body in which no reason can be read; then `status`
    /// and `advice` still tell what to do.
    public let reason: RejectionReason?
    /// Since when the device token is invalid, in milliseconds since 1970 UTC. APNs gives it with status 410.
    public let timestamp: Int64?

    /// Whether the status is 200.
    public var isAccepted: Bool { status == 200 }

    /// What APNs decided.
    public var outcome: Outcome { isAccepted ? .accepted : .rejected }

    /// The id of the push, as APNs repeated or made it.
    public var apnsID: APNSID? {
        headers.withFirstValue(of: "apns-id") { APNSID(utf8: $0) } ?? nil
    }

    /// The key of the push in the Push Notifications Console. Development environment only.
    public var uniqueID: String? { headers["apns-unique-id"] }

    /// The body as JSON; nil if it is none.
    public var bodyJSON: JSONValue? { JSONValue(parsing: body) }

    /// The body as text; bytes that are not UTF-8 are replaced.
    public var bodyText: String { String(decoding: body, as: UTF8.self) }

    /// What to do about a rejection: the advice of its reason, or of its status where the reason is unknown or missing.
    /// Nil for an accepted push.
    public var advice: RejectionAdvice? {
        isAccepted ? nil : reason?.advice ?? RejectionAdvice(status: status)
    }

    /// Takes the parts of an answer and reads reason and timestamp from the body of a rejection.
    ///
    /// Public so that a test of your own can make answers. The body may be anything.
    public init(status: Int, headers: ResponseHeaders = ResponseHeaders(), body: [UInt8] = [], isComplete: Bool = true)
    {
        self.status = status
        self.headers = headers
        self.body = body
        self.isComplete = isComplete
        // An accepted push has no body; its path stays free of JSON.
        let rejection = status == 200 ? nil : ResponseDecoder.rejection(in: body)
        reason = rejection?.reason
        timestamp = rejection?.timestamp
    }
}

extension PushResponse: CustomStringConvertible {
    /// Status, reason and id: `410 Unregistered (apns-id …)`.
    public var description: String {
        var text = String(status)
        if let reason { text += " \(reason)" }
        if let apnsID { text += " (apns-id \(apnsID))" }
        return isComplete ? text : text + ", incomplete"
    }
}
