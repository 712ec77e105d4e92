import ProcessRuntime

/// The rate that all workers of a queue keep together. A worker asks the store for permits, and pays one for each token
/// that it is about to push.
extension WorkerMachine {
    /// Whether another entry or slice may be pushed, after this many tokens. The last one may have more tokens than there
    /// are permits: what is missing is paid with the next permits, so no entry waits without end.
    func isPermitted(after tokens: Int) -> Bool { rate == nil || permits > tokens }

    mutating func pay(_ tokens: Int) { if rate != nil { permits -= tokens } }

    /// Begins the call, unless the store has asked for time.
    mutating func askForPermits(_ tokens: Int) -> Bool {
        guard let rate, permitAt == nil, tokens > 0 else { return false }
        begin(.permit, .permit(tokens: tokens - min(0, permits), rate))
        return true
    }

    mutating func permitted(_ permit: PushPermit) {
        guard permit.tokens > 0 else {
            permitAt = now.advanced(by: min(max(permit.wait, Times.shortestRefusal), Times.longestPause))
            return
        }
        permits += permit.tokens
        // From the answer: with a store that takes longer than that, no permit could ever be used otherwise.
        permitsEnd = now.advanced(by: Times.permit)
    }

    /// What is not used is lost. Otherwise several idle workers would save up more than one burst.
    mutating func lapsePermits() {
        guard let permitsEnd, permitsEnd <= now else { return }
        permits = min(0, permits)
        self.permitsEnd = nil
    }
}
