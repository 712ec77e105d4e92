/// What was decided about one push.
struct Verdict: Equatable {
    /// Nil: accepted, 200.
    var refusal: Refusal?
    /// Milliseconds since 1970, with a 410.
    var timestamp: Int64?

    var status: Int { refusal?.status ?? 200 }
    /// What `:status` says.
    var statusText: String { refusal == nil ? "200" : String(status) }
}

/// One push under examination: what is judged, by what, and when.
struct Examination {
    let request: PushRequest
    let policy: CheckPolicy
    /// The monotonic clock, in nanoseconds: for intervals.
    let now: Int64
    /// Milliseconds since 1970: for the age of provider tokens.
    let wallClock: Int64
    /// The server has announced that it goes away.
    var isDraining = false
    /// A fault wants this refusal for what would be accepted.
    var injected: Refusal?

    /// Set on the way, by the check that finds it out.
    var candidate: VerifiedToken?
    var device: DeviceState?
    var timestamp: Int64?
}

/// The checks of a device push, in the order in which they are made: the first that objects gives the answer.
///
/// Apple documents no order. Known from probes: method before credentials, credentials before the device token, the topic before the
/// device token; the rest is a choice, and clients must not depend on it. The numbers are the rows of the table in the documentation.
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

    /// Judges one push and notes in `facts` what follows from it for the connection.
    static func judge(_ examination: consuming Examination, _ facts: inout ConnectionFacts) -> Verdict {
        var refusal: Refusal?
        for row in rows {
            refusal = row.check(&examination, &facts)
            if refusal != nil { break }
        }
        settle(refusal, examination.policy, &facts)
        return Verdict(refusal: refusal, timestamp: refusal?.status == 410 ? examination.timestamp : nil)
    }

    /// Row 30 and what refusals do to a connection; a 410 does not count against the provider.
    static func settle(_ refusal: Refusal?, _ policy: CheckPolicy, _ facts: inout ConnectionFacts) {
        if let refusal {
            guard refusal.status != 410 else { return }
            facts.refusals += 1
            if policy.strictness.lowersLimitAfterRefusal { facts.streamLimit = min(1, policy.streamLimit) }
        } else if policy.strictness.lowersLimitAfterRefusal {
            facts.streamLimit = policy.streamLimit
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
