import Dispatch
import Locking
import WireTransport

/// Looks after the credential of a connection or a pool while it is in use: tells when its certificate is about to expire, and
/// reads its files again when they change.
///
/// It works on the threads of callers' code, because files can be slow; what it has read again is read there, too (``FileReader``).
final class CredentialMonitor: Sendable {
    /// What it does for its connection.
    struct Duties: Sendable {
        /// The certificate in use expires: after so many seconds, negative if it has.
        let expiring: @Sendable (_ notAfter: Int64, _ left: Int64) -> Void
        /// The files are to be read, and to take the place of what is in use.
        let reload: @Sendable () async throws(ConnectError) -> Void
        /// They did not.
        let reloadFailed: @Sendable (ConnectError) -> Void
    }

    private struct State {
        var warnings = ExpiryWarnings()
        var watch: FileWatch?
        var timer: (any OneShotTimer)?
        /// Made when there is something to look at: ten thousand connections with a key have nothing.
        var queue: DispatchQueue?
        var isReloading = false
        var isOver = false
    }

    private let slot: CredentialSlot
    private let interval: Duration?
    private let time: any TimeSource
    private let duties: Duties
    private let state = Locked(State())

    init(_ slot: CredentialSlot, _ reload: CredentialReload, time: any TimeSource, duties: Duties) {
        self.slot = slot
        self.time = time
        self.duties = duties
        interval = reload.interval
        watch(slot.source)
    }

    /// What is in use comes from there.
    func watch(_ source: CredentialSource) {
        guard interval != nil else { return }
        state.withLock { $0.watch = FileWatch(known: source.filesRead) }
    }

    /// Looks now; called when it begins, and whenever another credential has been taken.
    func look() {
        guard interval != nil || slot.current.identity != nil else { return }
        queue.async { [weak self] in self?.lookNow() }
    }

    private var queue: DispatchQueue {
        state.withLock { state in
            let queue = state.queue ?? DispatchQueue(label: "push.credential", target: .forCallers)
            state.queue = queue
            return queue
        }
    }

    func stop() {
        let timer = state.withLock { state in
            state.isOver = true
            defer { state.timer = nil }
            return state.timer
        }
        timer?.cancel()
    }

    private func lookNow() {
        let notAfter = slot.current.identity?.certificate.notAfter
        let files = interval == nil ? [] : slot.source.files
        let (left, next, reloads) = state.withLock { state -> (Int64?, Duration?, Bool) in
            guard !state.isOver else { return (nil, nil, false) }
            let (left, lookAfter) = state.warnings.look(notAfter, time.wallClockMilliseconds / 1_000)
            let reloads = !state.isReloading && state.watch?.look(files) == true
            if reloads { state.isReloading = true }
            let next = [lookAfter.map { Duration.seconds($0) }, interval].compactMap(\.self).min()
            return (left, next, reloads)
        }
        if let left, let notAfter { duties.expiring(notAfter, left) }
        if reloads { Task { await reload() } }
        if let next { arm(next) }
    }

    private func arm(_ delay: Duration) {
        let queue = queue
        let timer = state.withLock { state -> (any OneShotTimer)? in
            guard !state.isOver else { return nil }
            if state.timer == nil { state.timer = time.makeTimer(on: queue) { [weak self] in self?.lookNow() } }
            return state.timer
        }
        timer?.arm(at: time.now.advanced(by: delay))
    }

    private func reload() async {
        var failure: ConnectError?
        do throws(ConnectError) { try await duties.reload() } catch { failure = error }
        let verdict = FileWatch.Verdict(failure)
        let isNews = state.withLock { state in
            state.isReloading = false
            state.watch?.settle(verdict)
            guard verdict == .unusable, let watch = state.watch else { return true }
            state.watch?.told = failure?.description
            return watch.told != failure?.description
        }
        if let failure, isNews { duties.reloadFailed(failure) }
    }
}

extension FileWatch.Verdict {
    fileprivate init(_ failure: ConnectError?) {
        guard let failure else {
            self = .taken
            return
        }
        self = failure.code == .replacement ? .failed : .unusable
    }
}
