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
    func issue(_ push: Push, options: PushOptions) -> PushRecord { issue(push, options: options, at: call(options)) }

    /// - Parameter apnsID: The caller's, in place of what the notification says.
    func issue(_ push: Push, apnsID: APNSID? = nil, options: PushOptions, at call: Call) -> PushRecord {
        let (notification, policy) = (push.notification, PushPolicy(policy, options: options))
        let topics = credentials.topics
        let identity = identities.withLock { identities in
            // The usual defaults are used in place, without a copy.
            if let topics {
                return identities.next(
                    for: notification, callersID: apnsID, policy: policy, defaults: config.defaults(topics),
                    isUsual: false)
            }
            return identities.next(
                for: notification, callersID: apnsID, policy: policy, defaults: config.defaults, isUsual: true)
        }
        let times = times(
            of: notification, end: identity.template.expiration.waitingEndsAtSeconds, options: options, at: call)
        let head = RequestHead(identity.template, to: push.deviceToken, apnsID: identity.apnsID)
        return PushRecord(
            id: identity.id, push: push, head: head, hasCallersID: apnsID != nil, times: times, policy: policy)
    }

    /// Gives a request without a device its id and its times. It is not offered yet.
    func issue(
        _ notification: PushNotification, for route: RequestRoute, context: (any Sendable)? = nil,
        options: PushOptions
    ) -> PushRecord {
        let policy = PushPolicy(policy, options: options)
        let identity = identities.withLock { $0.next(for: notification, route: route, policy: policy) }
        let times = times(
            of: notification, end: notification.expiration?.waitingEndsAtSeconds, options: options, at: call(options))
        let head = RequestHead(identity.template, apnsID: identity.apnsID)
        return PushRecord(
            id: identity.id, notification, context: context, head: head, times: times, policy: policy)
    }

    /// The bundle id of the connection's app, from its defaults or its certificate.
    var bundleID: String { defaults.topic?.rawValue ?? "" }

    private var defaults: RequestDefaults { config.defaults(credentials.topics) }

    /// Refuses what APNs would refuse.
    func check(_ record: PushRecord, options: PushOptions) throws(PushError) {
        if let problem = options.statusRetry?.problem { throw .invalid(options: problem, pushID: record.id) }
        try config.check(
            record.head, payloadBytes: record.size, requiresTopic: credentials.needsTopic, topics: credentials.topics,
            isCertificate: credentials.current.isCertificate, pushID: record.id)
    }

    /// - Parameter end: When APNs would not keep the push any more, in seconds since 1970.
    private func times(
        of notification: PushNotification, end: Int64?, options: PushOptions, at call: Call
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
        _ head: RequestHead, payloadBytes: Int, requiresTopic: Bool, topics: CertificateTopics?,
        isCertificate: @autoclosure () -> Bool, pushID: PushID?
    ) throws(PushError) {
        do { try head.check(payloadBytes: payloadBytes, requiresTopic: requiresTopic) } catch {
            throw .invalid(error, pushID: pushID)
        }
        if head.template.needsProviderToken, isCertificate() {
            throw .invalid(InvalidPush(.providerTokenNeeded, type: .location), pushID: pushID)
        }
        if let limit = limits.maxPayloadBytes, payloadBytes > limit, head.template.carriesPush {
            throw .aboveLimit(payloadBytes, limit: limit, pushID: pushID)
        }
        try topics?.check(head.template.coveredTopic, pushID: pushID)
    }
}

extension HeadTemplate {
    /// Whether its body is a caller's payload, not a request to manage channels.
    fileprivate var carriesPush: Bool { route.map { $0.action == .broadcast } ?? true }

    /// The topic that a certificate must contain for the request.
    fileprivate var coveredTopic: Topic? { route.map { Topic(rawValue: $0.bundleID) } ?? topic }
}
