/// The answer of APNs to one push: taken over for delivery, or rejected with a reason. A rejection is an answer, not an error.
///
/// Two answers are equal if APNs said the same; what the caller gave along (``context``) and ``retryHeldBack``, which is ours,
/// are not compared.
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
    /// False if the status arrived and the rest did not: the body was cut off or over the limit.
    public let isComplete: Bool
    /// Why the push ended with this rejection although its policy asks for a retry (`StatusRetryPolicy`). Nil if it was accepted,
    /// if it is not to be retried, and if all its retries were made.
    public package(set) var retryHeldBack: RetryHeldBack?
    /// What an accepted push without a context does not have. Behind one reference, because an answer is copied several times on its way.
    private let content: Content?

    /// A body, with what was read in it, and what the caller gave along.
    private final class Content: Sendable {
        let body: [UInt8]
        let rejection: ResponseDecoder.Rejection?
        let context: (any Sendable)?

        init(_ body: [UInt8], _ rejection: ResponseDecoder.Rejection?, _ context: (any Sendable)?) {
            self.body = body
            self.rejection = rejection
            self.context = context
        }
    }

    /// What the caller gave along with the push, so that who handles answers in one place knows which push it was; nil if
    /// nothing was given.
    public var context: (any Sendable)? { content?.context }

    /// The body as it came: empty, JSON or anything else; no longer than the session's limit.
    public var body: [UInt8] { content?.body ?? [] }

    /// Why the push was rejected. Nil for an accepted one, and for a body in which no reason can be read; then `status`
    /// and `advice` still tell what to do.
    public var reason: RejectionReason? { content?.rejection?.reason }

    /// Since when the device token is invalid, in milliseconds since 1970 UTC. APNs gives it with status 410.
    public var timestamp: Int64? { content?.rejection?.timestamp }

    /// Whether the status is 200.
    public var isAccepted: Bool { status == 200 }

    /// Whether APNs did what it was asked, also where that is no push: channels are created with 201 and deleted with 204.
    package var isSuccess: Bool { (200..<300).contains(status) }

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
    public init(
        status: Int, headers: ResponseHeaders = ResponseHeaders(), body: [UInt8] = [], isComplete: Bool = true,
        context: (any Sendable)? = nil
    ) {
        self.status = status
        self.headers = headers
        self.isComplete = isComplete
        // An accepted push has no body; its path stays free of JSON.
        guard !body.isEmpty || context != nil else {
            content = nil
            return
        }
        let isRejection = status != 200 && !body.isEmpty
        content = Content(body, isRejection ? ResponseDecoder.rejection(in: body) : nil, context)
    }

    private init(_ answer: PushResponse, _ content: Content) {
        status = answer.status
        headers = answer.headers
        isComplete = answer.isComplete
        retryHeldBack = answer.retryHeldBack
        self.content = content
    }

    /// The answer with what the caller gave along.
    package func carrying(_ context: any Sendable) -> PushResponse {
        PushResponse(self, Content(body, content?.rejection, context))
    }

    /// Whether APNs said the same: status, header fields and body.
    public static func == (left: PushResponse, right: PushResponse) -> Bool {
        left.status == right.status && left.isComplete == right.isComplete && left.headers == right.headers
            && left.body == right.body
    }

    /// Takes in what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(status)
        hasher.combine(isComplete)
        hasher.combine(headers)
        hasher.combine(body)
    }
}

extension PushResponse: CustomStringConvertible {
    /// Status, reason and id: `410 Unregistered (apns-id …)`, and what held a retry back.
    public var description: String {
        var text = String(status)
        if let reason { text += " \(reason)" }
        if let apnsID { text += " (apns-id \(apnsID))" }
        if let retryHeldBack { text += ", not retried (\(retryHeldBack))" }
        return isComplete ? text : text + ", incomplete"
    }
}
