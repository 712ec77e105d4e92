import Dispatch
import ProcessRuntime
import PushLocking
import PushTransport

/// Monitors the credential of a connection or a pool while it is in use, as ``CredentialWatch`` decides.
///
/// It runs on the threads for callers' code, because file systems can be slow; files are read there, too
/// (``FileReader``).
final class CredentialMonitor: Sendable {
    /// Its calls to the connection.
    struct Duties: Sendable {
        /// The certificate in use expires: in this many seconds, negative if it has.
        let expiring: @Sendable (_ notAfter: Int64, _ left: Int64) -> Void
        /// Read the credential again; if it changed, replace what is in use.
        let reload: @Sendable () async -> CredentialReloadEnd
        /// That failed.
        let reloadFailed: @Sendable (ConnectError) -> Void
    }

    private struct State {
        var watch: CredentialWatch
        var timer: (any OneShotTimer)?
        /// Created when there is something to check: ten thousand connections with a key need none.
        var queue: DispatchQueue?
        var isOver = false
    }

    private let slot: CredentialSlot
    private let rule: CredentialReload
    private let time: any TimeSource
    private let duties: Duties
    private let state: Locked<State>

    init(_ slot: CredentialSlot, rule: CredentialReload, time: any TimeSource, duties: Duties) {
        self.slot = slot
        self.rule = rule
        self.time = time
        self.duties = duties
        state = Locked(State(watch: CredentialWatch(rule, known: slot.source.filesRead, time.now)))
    }

    /// The credential in use comes from another source.
    func watchSource() { state.withLock { $0.watch.watch(known: slot.source.filesRead) } }

    /// Checks now. Called at the beginning, and whenever another credential was adopted.
    func check() {
        guard rule.interval != nil || slot.current.identity != nil else { return }
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
        let files = rule.watchesFiles ? slot.source.files : []
        let look = state.withLock { state in
            state.isOver
                ? CredentialWatch.Look()
                : state.watch.check(
                    notAfter: notAfter, current: files, time.now, wallClockSeconds: time.wallClockMilliseconds / 1_000)
        }
        if let left = look.expiresIn, let notAfter { duties.expiring(notAfter, left) }
        if look.reloads { Task { await reload() } }
        if let next = look.next { arm(next) }
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
        let end = await duties.reload()
        if let failure = state.withLock({ $0.watch.reloaded(end) }) { duties.reloadFailed(failure) }
    }
}
