import PushLocking
import Synchronization

/// The credential of a connection or a pool: ``CredentialInUse`` with its lock and its monitor. A pool's connections
/// share the pool's.
final class CredentialSlot: Sendable {
    private let state: Locked<CredentialInUse>
    private let monitor = Locked<CredentialMonitor?>(nil)
    private let requiresTopic: Atomic<Bool>
    private let namesTopics: Atomic<Bool>
    private let countsAccepted = Atomic(true)

    init(_ credential: ResolvedCredential, from config: PushConnection.Configuration) {
        let source = CredentialSource(credential: config.credential, trust: config.trust)
        state = Locked(CredentialInUse(credential, from: source))
        requiresTopic = Atomic(credential.requiresTopic)
        namesTopics = Atomic(credential.topics != nil)
    }

    var current: ResolvedCredential { state.withLock { $0.current } }

    /// The credential in use and its source.
    var currentAndSource: (current: ResolvedCredential, source: CredentialSource) {
        state.withLock { ($0.current, $0.source) }
    }

    /// The source of the credential in use.
    var source: CredentialSource { state.withLock { $0.source } }

    var reading: CredentialInUse.Reading { state.withLock { $0.reading } }

    func next(at seat: Int) -> ResolvedCredential { state.withLock { $0.next(at: seat) } }

    func offer(at seat: Int) -> (number: Int, isLatest: Bool)? { state.withLock { $0.offer(at: seat) } }

    /// APNs needs a topic in token mode, and with a certificate for several topics. Lock-free, because it is read for
    /// every push.
    var needsTopic: Bool { requiresTopic.load(ordering: .relaxed) }

    /// The topics of the certificate in use. Nil in token mode, which needs no lock.
    var topics: CertificateTopics? { namesTopics.load(ordering: .relaxed) ? current.topics : nil }

    // MARK: Offers. Callers are told on the thread that ends their offer.

    func offer(
        _ credential: ResolvedCredential, from origin: CredentialInUse.Origin, at seat: Int, isSuspended: Bool,
        caller: @escaping CredentialInUse.Caller
    ) -> Int? {
        decide { $0.offer(credential, from: origin, at: seat, isSuspended: isSuspended, caller: caller, &$1) }
    }

    func accept(_ number: Int) -> CredentialInUse.Followers? { decide { $0.accept(number, &$1) } }

    func decline(_ number: Int, end: CredentialInUse.OfferEnd) -> Bool { decide { $0.decline(number, end: end, &$1) } }

    /// A loader has brought its credential.
    func loaded(_ credential: ResolvedCredential) { decide { $0.loaded(credential, &$1) } }

    private func decide<Answer>(
        _ body: (inout CredentialInUse, inout [CredentialInUse.Action]) -> Answer
    ) -> Answer {
        var actions: [CredentialInUse.Action] = []
        let answer = state.withLock { state in
            let answer = body(&state, &actions)
            requiresTopic.store(state.current.requiresTopic, ordering: .relaxed)
            namesTopics.store(state.current.topics != nil, ordering: .relaxed)
            countsAccepted.store(state.evidence.share.countsOthers, ordering: .relaxed)
            return answer
        }
        for action in actions {
            switch action {
            case .answer(let caller, let end): caller(end)
            case .look: monitor.withLock { $0 }?.check()
            case .watchSource: monitor.withLock { $0 }?.watchSource()
            }
        }
        return answer
    }

    // MARK: Monitoring

    /// Monitors the credential from now on, until the end.
    func watch(by monitor: CredentialMonitor) {
        self.monitor.withLock { $0 = monitor }
        monitor.check()
    }

    /// The connection or pool has ended; the credential is not monitored any more.
    func end() { monitor.withLock { $0.take() }?.stop() }

    // MARK: The environment

    /// Whether accepted pushes need to be counted. Lock-free: while no device token is bad they need not, which is
    /// usual.
    var countsAcceptedPushes: Bool { countsAccepted.load(ordering: .relaxed) }

    /// See ``CredentialInUse/noteAnswers(to:others:isBad:)``.
    func noteAnswers(to credential: ResolvedCredential, others: Int, isBad: Bool = false) {
        state.withLock { state in
            state.noteAnswers(to: credential, others: others, isBad: isBad)
            countsAccepted.store(state.evidence.share.countsOthers, ordering: .relaxed)
        }
    }

    func noteProof(of topic: Topic?, with credential: ResolvedCredential) {
        state.withLock { $0.noteProof(of: topic, with: credential) }
    }

    func suspectsEnvironment(of topic: Topic?, with credential: ResolvedCredential) -> Bool {
        state.withLock { $0.suspectsEnvironment(of: topic, with: credential) }
    }
}
