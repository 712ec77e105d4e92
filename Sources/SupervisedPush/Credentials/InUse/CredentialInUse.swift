import PushTransport

/// The credential that a connection or a pool uses, and the one that is to replace it: a pure machine without locks,
/// threads or files.
///
/// - The credential **in use** is the one that links use, with the source that it was read from.
/// - An **offered** credential is tried by one connection, its **seat**: the connection itself, or one of a pool's. It
///   is in use once a link is up with it. A newer offer supersedes an older one, whose caller is told at once.
///
/// An offer has a number. The connection learns of a newer offer by message, and a link with the older one may come up
/// before that: then the older credential is in use until the newer one is.
struct CredentialInUse: Sendable {
    typealias Caller = @Sendable (OfferEnd) -> Void

    /// How an offer ended. Its caller is told once.
    enum OfferEnd: Sendable, Equatable {
        /// It is in use.
        case accepted
        /// It is the credential that was in use already.
        case unchanged
        /// It was read from a source that has been replaced in the meantime.
        case outdated
        /// A poll read it, and a short while ago no link came up with it.
        case held
        /// No link came up with it.
        case failed(LinkFailure)
        /// The connection ended first.
        case closed
        /// Another one was offered in the meantime.
        case superseded
    }

    /// Where an offer comes from.
    enum Origin: Sendable {
        /// The caller gave it: it is read from this source from now on.
        case given(CredentialSource)
        /// The source in use was read again.
        case read(Reading, isPoll: Bool)
    }

    /// What to read again, as of the beginning of the read.
    struct Reading: Sendable {
        let source: CredentialSource
        /// The loader; nil if files are read.
        let loader: CredentialLoader?
        fileprivate let revision: Int
    }

    /// The actions of a decision, in this order.
    enum Action {
        case answer(Caller, OfferEnd)
        /// Another credential may be in use.
        case look
        /// It is read from another source.
        case watchSource
    }

    /// The connections of a pool that must adopt what one of them came up with.
    struct Followers: Equatable {
        /// False if it is the credential they use already.
        let isOther: Bool
        /// Those that know it already, or try a newer one.
        fileprivate let exceptions: Set<Int>

        func include(_ seat: Int) -> Bool { !exceptions.contains(seat) }
    }

    private struct Offer {
        let number: Int
        let seat: Int
        var credential: ResolvedCredential
        /// Nil: the source of the one in use.
        let source: CredentialSource?
        /// Nil once the caller was told how the offer ended.
        var caller: Caller?
        /// Another credential was adopted while its seat tried this one.
        var hasMissed = false
    }

    /// A credential from a poll with which no link came up. Polls hold it back, each time longer.
    private struct Failed {
        let credential: ResolvedCredential
        var pause = 1
        var pollsLeft = 1
    }

    private(set) var current: ResolvedCredential
    private(set) var source: CredentialSource
    /// The latest offer is the last. Earlier ones are superseded, and their connections may not know that yet.
    private var offers: [Offer] = []
    private var lastNumber = 0
    /// Counts the sources that were given and adopted.
    private var revision = 0
    private var failed: Failed?
    /// What the answers to the credential in use say about the environment.
    private(set) var evidence = EnvironmentEvidence()
    /// What those to its predecessor said last.
    private var formerEvidence = EnvironmentEvidence()

    private static let mostOffers = 16
    private static let longestPause = 32

    init(_ credential: ResolvedCredential, from source: CredentialSource) {
        current = credential
        self.source = source
    }

    /// The credential for this connection's next link: its offer, if it has one.
    func next(at seat: Int) -> ResolvedCredential { offers.last { $0.seat == seat }?.credential ?? current }

    /// The offer that this connection tries, and whether no newer one has superseded it.
    func offer(at seat: Int) -> (number: Int, isLatest: Bool)? {
        offers.last { $0.seat == seat }.map { ($0.number, $0.number == lastNumber) }
    }

    /// The present state, for reading it again.
    var reading: Reading { Reading(source: source, loader: current.loader, revision: revision) }

    // MARK: Offers

    /// Offers a credential, if it would change anything.
    ///
    /// - Parameters:
    ///   - seat: The connection that tries it.
    ///   - isSuspended: Whether APNs refuses the credential in use. Then the same credential is tried again, unless a
    ///     poll brought it.
    /// - Returns: The offer's number; nil if it has ended already.
    mutating func offer(
        _ credential: ResolvedCredential, from origin: Origin, at seat: Int, isSuspended: Bool,
        caller: @escaping Caller,
        _ actions: inout [Action]
    ) -> Int? {
        let isUnchanged = credential.isSame(as: current)
        switch origin {
        case .given(let source):
            revision += 1
            if isUnchanged, !isSuspended {
                use(source, &actions)
                actions.append(.answer(caller, .unchanged))
                return nil
            }
        case .read(let reading, let isPoll):
            if let end = end(
                of: reading, isPoll: isPoll, credential: credential, isUnchanged: isUnchanged, isSuspended: isSuspended)
            {
                actions.append(.answer(caller, end))
                return nil
            }
        }
        if let earlier = offers.last?.caller { actions.append(.answer(earlier, .superseded)) }
        if !offers.isEmpty { offers[offers.count - 1].caller = nil }
        // Connections take messages faster than credentials are read, but that is not guaranteed.
        if offers.count == Self.mostOffers { offers.removeFirst() }
        lastNumber += 1
        var source: CredentialSource?
        if case .given(let given) = origin { source = given }
        offers.append(
            Offer(number: lastNumber, seat: seat, credential: credential, source: source, caller: caller))
        return lastNumber
    }

    /// How an offer that was read again ends at once; nil if it must be tried.
    private mutating func end(
        of reading: Reading, isPoll: Bool, credential: ResolvedCredential, isUnchanged: Bool, isSuspended: Bool
    ) -> OfferEnd? {
        // A credential given since then is newer than what was read from the earlier source.
        guard reading.revision == revision, !offers.contains(where: { $0.source != nil }) else { return .outdated }
        if isUnchanged {
            failed = nil
            return isSuspended && !isPoll ? nil : .unchanged
        }
        guard isPoll, let failed, failed.credential.isSame(as: credential), failed.pollsLeft > 0 else { return nil }
        self.failed?.pollsLeft -= 1
        return .held
    }

    /// A link is up with the offer, or the next one will use it: it is in use from now on. Does nothing if there is no
    /// such offer.
    ///
    /// - Returns: The other connections that must adopt it.
    mutating func accept(_ number: Int, _ actions: inout [Action]) -> Followers? {
        guard let index = offers.firstIndex(where: { $0.number == number }) else { return nil }
        let offer = offers[index]
        offers.removeFirst(index + 1)
        for index in offers.indices { offers[index].hasMissed = true }
        let isOther = !offer.credential.isSame(as: current)
        use(offer.credential)
        failed = nil
        // Together, because otherwise the old files could be read once more and replace what was just adopted.
        if let source = offer.source { use(source, &actions) }
        actions.append(.look)
        if let caller = offer.caller { actions.append(.answer(caller, .accepted)) }
        return Followers(isOther: isOther, exceptions: Set(offers.map(\.seat) + [offer.seat]))
    }

    /// The offer is over, and what is in use stays. Does nothing if there is no such offer.
    ///
    /// - Returns: Whether its seat must now adopt another credential, which came into use in the meantime.
    mutating func decline(_ number: Int, end: OfferEnd, _ actions: inout [Action]) -> Bool {
        guard let index = offers.firstIndex(where: { $0.number == number }) else { return false }
        let offer = offers.remove(at: index)
        if case .failed = end, offer.source == nil {
            let again = failed.flatMap { $0.credential.isSame(as: offer.credential) ? $0.pause * 2 : nil }
            let pause = min(again ?? 1, Self.longestPause)
            failed = Failed(credential: offer.credential, pause: pause, pollsLeft: pause)
        }
        if let caller = offer.caller { actions.append(.answer(caller, end)) }
        return offer.hasMissed && end != .closed && !offers.contains { $0.seat == offer.seat }
    }

    /// A loader has brought its credential.
    mutating func loaded(_ credential: ResolvedCredential, _ actions: inout [Action]) {
        for index in offers.indices where offers[index].credential.loader === credential.loader {
            offers[index].credential = credential
        }
        guard current.loader === credential.loader else { return }
        use(credential)
        actions.append(.look)
    }

    private mutating func use(_ source: CredentialSource, _ actions: inout [Action]) {
        self.source = source
        revision += 1
        actions.append(.watchSource)
    }

    private mutating func use(_ credential: ResolvedCredential) {
        if !credential.isSame(as: current) {
            formerEvidence = evidence
            evidence = EnvironmentEvidence()
        }
        current = credential
    }

    // MARK: The environment. A draining link still uses the previous credential, which nothing is noted for.

    /// Counts answers on a link with this credential, in their order: first `others`, then perhaps one BadDeviceToken.
    mutating func noteAnswers(to credential: ResolvedCredential, others: Int, isBad: Bool) {
        if credential.isSame(as: current) { evidence.count(others: others, isBad: isBad) }
    }

    /// An answer on a link with this credential proved the environment for a topic.
    mutating func noteProof(of topic: Topic?, with credential: ResolvedCredential) {
        if credential.isSame(as: current) { evidence.prove(topic) }
    }

    /// Whether BadDeviceToken, on a link with this credential, probably comes from the wrong environment.
    func suspectsEnvironment(of topic: Topic?, with credential: ResolvedCredential) -> Bool {
        (credential.isSame(as: current) ? evidence : formerEvidence).suspects(topic)
    }
}
