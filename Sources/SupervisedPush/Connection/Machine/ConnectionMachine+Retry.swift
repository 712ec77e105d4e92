import ProcessRuntime

/// What is resent although it was answered or may have been processed: only what the push's policy asks for. The room
/// decides whether and when to retry.
extension ConnectionMachine {
    /// A push in flight was answered, and its stream is no longer counted: the push ends, or the room may retry it.
    mutating func settleAnswer(_ slot: Int32, response: consuming PushResponse, retryFrom: MonotonicInstant?) {
        guard let policy = table.record(of: slot)?.policy else { return }
        if policy.retries > 0, let entry = table[slot], entry.withdrawal == nil {
            actions.append(.noteAnswer(RetryAnswer(copy response, to: entry.record, from: retryFrom)))
            if asksForRetry(entry, response: response) {
                return returnToRoom(slot, cause: .answered(response, from: retryFrom))
            }
        }
        inFlight -= 1
        finish(slot, with: response)
    }

    private func asksForRetry(_ entry: PushEntry, response: PushResponse) -> Bool {
        let policy = entry.record.policy
        return policy.statuses.contains(status: response.status)
            && response.reason != .tooManyProviderTokenUpdates
            && (entry.record.answered?.retries ?? 0) < policy.retries
            && entry.history.attempts < settings.maxAttempts
    }

    /// True if a push whose attempt ended unknown should be resent.
    func resendsUnknown(_ entry: PushEntry) -> Bool {
        entry.record.policy.resend == .resendUnknown && entry.history.attempts < settings.maxAttempts
    }
}
