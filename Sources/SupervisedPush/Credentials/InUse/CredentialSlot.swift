import Locking
import Synchronization

/// The credential of a connection or a pool, and the one that is offered in its place, if one is.
final class CredentialSlot: Sendable {
    /// How an offer ended.
    enum Settlement: Sendable, Equatable {
        case taken
        /// No link came up with it.
        case failed(LinkFailure)
        /// The connection ended first.
        case closed
        /// Another one was offered meanwhile.
        case superseded
    }

    private struct Offer {
        var credential: ResolvedCredential
        /// Where it comes from; nil: from where the one in use does.
        let source: CredentialSource?
        let caller: (@Sendable (Settlement) -> Void)?
    }

    private struct State {
        var current: ResolvedCredential
        var source: CredentialSource
        var offer: Offer?
        /// What the answers to the credential in use say of the environment.
        var suspicion = EnvironmentSuspicion()
        /// What those to the one before it said at its end.
        var formerSuspicion = false
    }

    private let state: Locked<State>
    private let keeper = Locked<CredentialMonitor?>(nil)
    private let requiresTopic: Atomic<Bool>
    private let namesTopics: Atomic<Bool>

    init(_ credential: ResolvedCredential, from config: ConnectionConfig) {
        let source = CredentialSource(credential: config.credential, trust: config.trust)
        state = Locked(State(current: credential, source: source))
        requiresTopic = Atomic(credential.requiresTopic)
        namesTopics = Atomic(credential.topics != nil)
    }

    var current: ResolvedCredential { state.withLock { $0.current } }

    /// The credential in use, and where it came from.
    var currentAndSource: (current: ResolvedCredential, source: CredentialSource) {
        state.withLock { ($0.current, $0.source) }
    }

    /// Where the credential in use came from.
    var source: CredentialSource {
        get { state.withLock { $0.source } }
        set {
            state.withLock { $0.source = newValue }
            keeper.withLock { $0 }?.watch(newValue)
        }
    }

    /// What the next link shows: what is on offer, if anything is.
    var next: ResolvedCredential { state.withLock { $0.offer?.credential ?? $0.current } }

    /// APNs needs a topic in token mode, and with a certificate that names several. Without a lock: it is asked for every push.
    var needsTopic: Bool { requiresTopic.load(ordering: .relaxed) }

    /// What the certificate in use says of topics; nil, without a lock, in token mode.
    var topics: CertificateTopics? { namesTopics.load(ordering: .relaxed) ? current.topics : nil }

    /// Puts a credential on offer; the caller hears once how that ended, on whichever thread ended it.
    ///
    /// - Parameter source: where it comes from; nil: from where the one in use does.
    func offer(
        _ credential: ResolvedCredential, from source: CredentialSource? = nil,
        _ caller: (@Sendable (Settlement) -> Void)?
    ) {
        let earlier = state.withLock { state in
            defer { state.offer = Offer(credential: credential, source: source, caller: caller) }
            return state.offer
        }
        earlier?.caller?(.superseded)
    }

    /// A loader has brought its credential.
    func loaded(_ credential: ResolvedCredential) {
        let isCurrent = state.withLock { state in
            if state.offer?.credential.loader === credential.loader { state.offer?.credential = credential }
            guard state.current.loader === credential.loader else { return false }
            use(credential, &state)
            return true
        }
        if isCurrent { keeper.withLock { $0 }?.look() }
    }

    /// The offer is the credential from now on; nothing if there is none.
    func take() { settle(.taken) }

    /// The offer is none any more.
    func decline(_ cause: LinkFailure?) { settle(cause.map(Settlement.failed) ?? .closed) }

    /// Has the credential looked after from now on, until the end.
    func keep(by keeper: CredentialMonitor) {
        self.keeper.withLock { $0 = keeper }
        keeper.look()
    }

    /// The connection ended: nothing is on offer, and nobody looks after it.
    func end() {
        decline(nil)
        keeper.withLock { $0.take() }?.stop()
    }

    private func settle(_ settlement: Settlement) {
        let offer = state.withLock { state in
            defer { state.offer = nil }
            if let offer = state.offer, settlement == .taken {
                use(offer.credential, &state)
                // Together: else the old files could be read once more, and take the place of what was just taken.
                if let source = offer.source { state.source = source }
            }
            return state.offer
        }
        if let offer, settlement == .taken, let keeper = keeper.withLock({ $0 }) {
            if let source = offer.source { keeper.watch(source) }
            keeper.look()
        }
        offer?.caller?(settlement)
    }

    /// Notes answers that came on a link with this credential, in their order: first so many of no interest, then perhaps one
    /// BadDeviceToken. Returns whether the environment is suspected to be the wrong one for that credential.
    @discardableResult
    func noteAnswers(to credential: ResolvedCredential, others: Int, isBad: Bool = false) -> Bool {
        state.withLock { state in
            // A link that drains shows another one still.
            guard credential.isSame(as: state.current) else { return state.formerSuspicion }
            state.suspicion.noteOthers(others)
            if isBad { state.suspicion.noteBad() }
            return state.suspicion.isSuspected
        }
    }

    private func use(_ credential: ResolvedCredential, _ state: inout State) {
        if !credential.isSame(as: state.current) {
            state.formerSuspicion = state.suspicion.isSuspected
            state.suspicion = EnvironmentSuspicion()
        }
        state.current = credential
        requiresTopic.store(credential.requiresTopic, ordering: .relaxed)
        namesTopics.store(credential.topics != nil, ordering: .relaxed)
    }
}
