import FoundationEssentials

/// The answer of APNs to one push: accepted for delivery, or rejected with a reason. A rejection is an answer, not an
/// error.
///
/// Two answers are equal if APNs sent the same. ``context``, ``retryHeldBack`` and ``suspectsEnvironment``, which do not
/// come from APNs, are not compared.
public struct PushResponse: Hashable, Sendable {
    /// The HTTP status, 200 to 999.
    public let status: Int
    /// The header fields as received.
    public let headers: ResponseHeaders
    /// False if the status arrived but the answer was cut: the body ended early or exceeded the limit.
    public let isComplete: Bool
    /// Why this rejection was not retried although the policy asks for a retry (`StatusRetryPolicy`). Nil if the push
    /// was accepted, if the policy does not retry it, or if all its retries were made.
    public package(set) var retryHeldBack: RetryHeldBack?
    /// Whether this 400 `BadDeviceToken` probably says that the connection uses the wrong environment, where no device
    /// token is known, and nothing about the device: see ``FeedbackEvent/suspectsEnvironment``. False for all other
    /// answers, and for those that you make.
    public package(set) var suspectsEnvironment = false
    /// Only rejections and answers with a context have this. One reference, because an answer is copied several times.
    private let content: Content?

    /// A body, what it says, and the caller's context.
    private final class Content: Sendable {
        let body: [UInt8]
        let rejection: ResponseDecoder.Rejection?
        let context: (any Sendable)?

        init(_ body: [UInt8], rejection: ResponseDecoder.Rejection?, context: (any Sendable)?) {
            self.body = body
            self.rejection = rejection
            self.context = context
        }
    }

    /// The context of the push, so that code that handles all answers in one place knows which push it was; nil if the
    /// push had none.
    public var context: (any Sendable)? { content?.context }

    /// The body as received: empty, JSON or anything else, up to the session's limit.
    public var body: [UInt8] { content?.body ?? [] }

    /// Why the push was rejected. Nil for an accepted push, or if the body contains no readable reason; `status` and
    /// `advice` then still say what to do.
    public var reason: RejectionReason? { content?.rejection?.reason }

    /// Since when the device token is invalid. APNs sends it with status 410.
    public var timestamp: Date? { timestampMilliseconds.map { Date(unixMilliseconds: $0) } }

    /// Since when the device token is invalid, exactly as APNs sent it: in milliseconds since 1970 UTC.
    public var timestampMilliseconds: Int64? { content?.rejection?.timestamp }

    /// Whether the status is 200: APNs accepted the push for delivery. Whether the device shows it is never reported.
    public var isAccepted: Bool { status == 200 }

    /// Whether APNs did what was requested. Channels are created with 201 and deleted with 204.
    package var isSuccess: Bool { (200..<300).contains(status) }

    /// The id of the push: the one that was sent, or one that APNs made.
    public var apnsID: APNSID? {
        headers.withFirstValue(of: "apns-id") { APNSID(utf8: $0) } ?? nil
    }

    /// The id of the push in the Push Notifications Console. Development environment only.
    public var uniqueID: String? { headers["apns-unique-id"] }

    /// The body as JSON; nil if it is not JSON.
    public var bodyJSON: JSONValue? { JSONValue(parsing: body) }

    /// The body as text. Invalid UTF-8 is replaced.
    public var bodyText: String { String(decoding: body, as: UTF8.self) }

    /// What to do about a rejection: the advice for its reason, or for its status if the reason is unknown or missing.
    /// Nil for an accepted push.
    public var advice: RejectionAdvice? {
        isAccepted ? nil : reason?.advice ?? RejectionAdvice(status: status)
    }

    /// Creates an answer and reads reason and timestamp from the body of a rejection.
    ///
    /// Public so that your tests can make answers. The body may be anything.
    public init(
        status: Int, headers: ResponseHeaders = ResponseHeaders(), body: [UInt8] = [], isComplete: Bool = true,
        context: (any Sendable)? = nil
    ) {
        self.status = status
        self.headers = headers
        self.isComplete = isComplete
        // An accepted push has no body, so no JSON is parsed for it.
        guard !body.isEmpty || context != nil else {
            content = nil
            return
        }
        let isRejection = status != 200 && !body.isEmpty
        content = Content(body, rejection: isRejection ? ResponseDecoder.rejection(in: body) : nil, context: context)
    }

    private init(_ answer: PushResponse, content: Content) {
        status = answer.status
        headers = answer.headers
        isComplete = answer.isComplete
        retryHeldBack = answer.retryHeldBack
        suspectsEnvironment = answer.suspectsEnvironment
        self.content = content
    }

    /// Returns the answer with the caller's context.
    package func carrying(_ context: any Sendable) -> PushResponse {
        PushResponse(self, content: Content(body, rejection: content?.rejection, context: context))
    }

    /// Whether APNs sent the same: status, header fields and body.
    public static func == (left: PushResponse, right: PushResponse) -> Bool {
        left.status == right.status && left.isComplete == right.isComplete && left.headers == right.headers
            && left.body == right.body
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(status)
        hasher.combine(isComplete)
        hasher.combine(headers)
        hasher.combine(body)
    }
}

extension PushResponse: CustomStringConvertible {
    /// Status, reason and id: `410 Unregistered (apns-id …)`, and why it was not retried.
    public var description: String {
        var text = String(status)
        if let reason { text += " \(reason)" }
        if let apnsID { text += " (apns-id \(apnsID))" }
        if let retryHeldBack { text += ", not retried (\(retryHeldBack))" }
        return isComplete ? text : text + ", incomplete"
    }
}

/// APNs rejected a push. Thrown by ``PushResponse/accepted()``.
public struct PushRejection: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The answer.
    public let response: PushResponse

    /// Creates the error for an answer, for tests.
    public init(_ response: PushResponse) { self.response = response }

    /// What APNs answered, what it means and what to do, in a sentence or three.
    public var description: String {
        let said = "APNs rejected the push: \(response.status)\(response.reason.map { " \($0)" } ?? "")."
        guard let reason = response.reason, reason.isKnown else { return said }
        return "\(said) \(reason.meaning) \(reason.remedy)"
    }

    /// Same as ``description``.
    public var errorDescription: String? { description }
}

extension PushResponse {
    /// Returns the answer if APNs accepted the push, and throws if not.
    ///
    /// ```swift
    /// try await orders.push(.alert(title: "Flight A998", body: "Boarding"), to: device).accepted()
    /// ```
    /// - Throws: ``PushRejection``, with the answer.
    @discardableResult
    public func accepted() throws(PushRejection) -> PushResponse {
        guard isAccepted else { throw PushRejection(self) }
        return self
    }
}

/// Why a rejection was not retried although the policy asks for a retry.
///
/// A struct, because more values may be added: a `switch` needs a `default`.
public struct RetryHeldBack: Hashable, Sendable, CustomStringConvertible {
    // One byte, because every answer contains it.
    private let code: UInt8

    /// APNs failed too often: of the answers of the last ten seconds, at least twenty and at least half were 500 or
    /// 503. Retries then stop for thirty seconds.
    public static let breaker = Self(code: 0)
    /// The retry budget was used up: retries are limited to a tenth of the pushes.
    public static let budget = Self(code: 1)
    /// The pause before the retry, or `Retry-After`, would exceed the time of the push or of the connection.
    public static let time = Self(code: 2)
    /// Too many pushes were already waiting for a retry or for their turn.
    public static let waiting = Self(code: 3)

    /// The name, without values and suitable for metrics: `breaker`, `budget`, `time` or `waiting`.
    public var name: String {
        switch self {
        case .breaker: "breaker"
        case .budget: "budget"
        case .time: "time"
        default: "waiting"
        }
    }

    /// The reason as a sentence.
    public var sentence: String {
        switch self {
        case .breaker: "APNs failed too often, so retries stopped for 30 s."
        case .budget: "The retry budget, a tenth of the pushes, was used up."
        case .time: "The pause before the retry would exceed the push's time."
        default: "Too many pushes are already waiting for a retry."
        }
    }

    /// The name.
    public var description: String { name }
}
