/// The decision about one push.
struct Verdict: Equatable {
    /// Nil if accepted: 200.
    var refusal: Refusal?
    /// Milliseconds since 1970, for a 410.
    var timestamp: Int64?

    var status: Int { refusal?.status ?? 200 }
    /// The value of `:status`.
    var statusText: String { refusal == nil ? "200" : String(status) }
}

/// The state of the checks of one push: its request, its policy and the time.
struct Examination {
    let request: PushRequest
    let policy: CheckPolicy
    /// The monotonic clock in nanoseconds, for intervals.
    let now: Int64
    /// Milliseconds since 1970, for the age of provider tokens.
    let wallClock: Int64
    /// The server has announced its shutdown.
    var isDraining = false
    /// A fault refuses the push for this reason if it would be accepted.
    var injected: Refusal?

    /// Set by the check that determines it.
    var candidate: VerifiedToken?
    var device: DeviceState?
    var timestamp: Int64?
}

/// The checks of a device push, in order. The first check that fails determines the answer.
///
/// Apple documents no order. Probes show: method before credentials, credentials before the device token, the topic
/// before the device token. The rest is our choice, and clients must not depend on it. The numbers are the rows of the
/// table in the documentation.
enum RequestChecks {
    typealias Check = @Sendable (inout Examination, inout ConnectionFacts) -> Refusal?

    struct Row: Sendable {
        let number: Int
        let check: Check

        init(_ number: Int, _ check: @escaping Check) {
            self.number = number
            self.check = check
        }
    }

    static let rows: [Row] = [
        Row(3) { examination, _ in examination.isDraining ? .shutdown : nil },
        Row(4, method),
        Row(5, path),
        Row(6, providerTokenPresent),
        Row(7, providerTokenGenuine),
        Row(8, providerTokenAge),
        Row(9, providerTokenTeam),
        Row(10, providerTokenKey),
        Row(11, providerTokenUpdate),
        Row(12, acceptProviderToken),
        Row(13) { examination, _ in examination.request.hasDuplicate ? .duplicateHeaders : nil },
        Row(14, messageID),
        Row(15, expiration),
        Row(16, priority),
        Row(17, pushType),
        Row(18, collapseID),
        Row(19, topicPresent),
        Row(20, topicForm),
        Row(21, topicAllowed),
        Row(22, deviceTokenPresent),
        Row(23) { examination, _ in examination.request.bodyCount == 0 ? .payloadEmpty : nil },
        Row(24, payloadSize),
        Row(25, deviceTokenKnown),
        Row(26, deviceTokenActive),
        Row(27, deviceTokenTopic),
        Row(28) { examination, _ in examination.device == .tooManyRequests ? .tooManyRequests : nil },
        Row(29) { examination, _ in examination.injected },
    ]

    /// Checks one push, and updates `facts` about the connection.
    static func judge(_ examination: consuming Examination, _ facts: inout ConnectionFacts) -> Verdict {
        facts.bind(examination.policy)
        var refusal: Refusal?
        for row in rows {
            refusal = row.check(&examination, &facts)
            if refusal != nil {
                facts.lastRefusalRow = row.number
                break
            }
        }
        applyEffects(of: refusal, examination.policy, &facts)
        return Verdict(refusal: refusal, timestamp: refusal?.status == 410 ? examination.timestamp : nil)
    }

    /// Row 30, and the effects of refusals on a connection. A 410 is not the provider's fault and does not count.
    static func applyEffects(of refusal: Refusal?, _ policy: CheckPolicy, _ facts: inout ConnectionFacts) {
        if let refusal {
            guard refusal.status != 410 else { return }
            facts.refusals += 1
            if policy.strictness.lowersLimitAfterRefusal { facts.streamLimit = min(1, facts.fullStreamLimit) }
        } else if policy.strictness.lowersLimitAfterRefusal {
            facts.streamLimit = facts.fullStreamLimit
        }
    }

    private static func method(_ examination: inout Examination, _: inout ConnectionFacts) -> Refusal? {
        let request = examination.request
        return request.deviceToken != nil && !request.method.equals("POST") ? .methodNotAllowed : nil
    }

    private static func path(_ examination: inout Examination, _: inout ConnectionFacts) -> Refusal? {
        examination.request.deviceToken == nil ? .badPath : nil
    }
}
