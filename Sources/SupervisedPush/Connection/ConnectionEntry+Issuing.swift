/// What a push needs before it can be offered.
extension ConnectionEntry {
    /// Gives the push its identity and its times. It is not offered yet.
    func issue(_ push: Push, _ options: PushOptions) -> PushRecord {
        let record = intake.issue(
            push, times(push.notification, options), PushPolicy(policy, options), config.defaults)
        if pool != nil { record.home = self }
        return record
    }

    /// Refuses what APNs would refuse anyway.
    func check(_ record: PushRecord, _ options: PushOptions) throws(PushError) {
        if let problem = options.statusRetry?.problem { throw .invalid(options: problem, record.id) }
        do { try record.head.check(record.push.notification.payload, requiresTopic: needsTopic) } catch {
            throw .invalid(error, record.id)
        }
    }

    private func times(_ notification: PushNotification, _ options: PushOptions) -> PushTimes {
        let now = time.now
        let timeout = options.timeout ?? notification.timeout ?? config.timeout
        var expiration: MonotonicInstant?
        if let end = (notification.expiration ?? config.defaults.expiration)?.waitingEndsAt {
            // As durations, which hold more than any number of seconds: nothing runs over.
            expiration = now.advanced(by: .seconds(end) - .milliseconds(time.wallClockMilliseconds))
        }
        return PushTimes(
            timeout: timeout, timeoutFromCall: options.timeoutStart == .call ? now.advanced(by: timeout) : nil,
            deadline: options.deadline, expiration: expiration)
    }
}
