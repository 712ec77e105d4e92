import ProcessRuntime
import PushLocking

/// The preparation of a push before it is offered.
extension Outbox {
    /// When pushes are called. Those of a batch share it, because it takes the time to read two clocks.
    struct Call {
        let now: MonotonicInstant
        /// When the push must have ended.
        let deadline: MonotonicInstant?
    }

    /// Now.
    func call(_ options: PushOptions) -> Call {
        let now = time.now
        return Call(now: now, deadline: options.timeLeft.map { now.advanced(by: $0) })
    }

    /// Gives the push its id and its times. It is not offered yet.
    func issue(_ push: Push, _ options: PushOptions) -> PushRecord { issue(push, options, at: call(options)) }

    /// - Parameter apnsID: The caller's, in place of what the notification says.
    func issue(_ push: Push, apnsID: APNSID? = nil, _ options: PushOptions, at call: Call) -> PushRecord {
        let (notification, policy) = (push.notification, PushPolicy(policy, options))
        let topics = credentials.topics
        let identity = identities.withLock { identities in
            // The usual defaults are used in place, without a copy.
            if let topics {
                return identities.next(for: notification, apnsID, policy, config.defaults(topics), isUsual: false)
            }
            return identities.next(for: notification, apnsID, policy, config.defaults, isUsual: true)
        }
        let times = times(notification, identity.template.expiration.waitingEndsAtSeconds, options, call)
        let head = RequestHead(identity.template, to: push.deviceToken, apnsID: identity.apnsID)
        return PushRecord(
            id: identity.id, push: push, head: head, hasCallersID: apnsID != nil, times: times, policy: policy)
    }

    /// Gives a request without a device its id and its times. It is not offered yet.
    func issue(
        _ notification: PushNotification, for route: RequestRoute, context: (any Sendable)? = nil,
        _ options: PushOptions
    ) -> PushRecord {
        let policy = PushPolicy(policy, options)
        let identity = identities.withLock { $0.next(for: notification, route, policy) }
        let times = times(notification, notification.expiration?.waitingEndsAtSeconds, options, call(options))
        let head = RequestHead(identity.template, apnsID: identity.apnsID)
        return PushRecord(
            id: identity.id, notification, context: context, head: head, times: times, policy: policy)
    }

    /// The bundle id of the connection's app, from its defaults or its certificate.
    var bundleID: String { defaults.topic?.rawValue ?? "" }

    private var defaults: RequestDefaults { config.defaults(credentials.topics) }

    /// Refuses what APNs would refuse.
    func check(_ record: PushRecord, _ options: PushOptions) throws(PushError) {
        if let problem = options.statusRetry?.problem { throw .invalid(options: problem, record.id) }
        try config.check(
            record.head, payloadBytes: record.size, requiresTopic: credentials.needsTopic, credentials.topics,
            isCertificate: credentials.current.isCertificate, record.id)
    }

    /// - Parameter end: When APNs would not keep the push any more, in seconds since 1970.
    private func times(
        _ notification: PushNotification, _ end: Int64?, _ options: PushOptions, _ call: Call
    ) -> PushTimes {
        let timeout = options.timeout ?? notification.timeout ?? config.timeout
        var expiration: MonotonicInstant?
        if let end {
            // Computed with durations, which cannot overflow for any number of seconds.
            expiration = call.now.advanced(by: .seconds(end) - .milliseconds(time.wallClockMilliseconds))
        }
        return PushTimes(
            timeout: timeout, timeoutFromCall: options.timeoutStart == .call ? call.now.advanced(by: timeout) : nil,
            deadline: call.deadline, expiration: expiration)
    }
}

extension PushConnection.Configuration {
    /// The defaults. If they have no topic, the topic of the certificate in use is added.
    func defaults(_ topics: CertificateTopics?) -> RequestDefaults {
        guard defaults.topic == nil, let topic = topics?.standard else { return defaults }
        var defaults = defaults
        defaults.topic = topic
        return defaults
    }

    /// Refuses a request that APNs would refuse with the credential in use.
    func check(
        _ head: RequestHead, payloadBytes: Int, requiresTopic: Bool, _ topics: CertificateTopics?,
        isCertificate: @autoclosure () -> Bool, _ pushID: PushID?
    ) throws(PushError) {
        do { try head.check(payloadBytes: payloadBytes, requiresTopic: requiresTopic) } catch {
            throw .invalid(error, pushID)
        }
        if head.template.needsProviderToken, isCertificate() {
            throw .invalid(InvalidPush(.providerTokenNeeded, type: .location), pushID)
        }
        if let limit = limits.maxPayloadBytes, payloadBytes > limit, head.template.carriesPush {
            throw .aboveLimit(payloadBytes, limit, pushID)
        }
        try topics?.check(head.template.coveredTopic, pushID)
    }
}

extension HeadTemplate {
    /// Whether its body is a caller's payload, not a request to manage channels.
    fileprivate var carriesPush: Bool { route.map { $0.action == .broadcast } ?? true }

    /// The topic that a certificate must contain for the request.
    fileprivate var coveredTopic: Topic? { route.map { Topic(rawValue: $0.bundleID) } ?? topic }
}
