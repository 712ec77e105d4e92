import PushTransport

/// Which credential a connection or a pool shows, and which one is to take its place: decided without a lock, a thread
/// or a file.
///
/// - **In use** is what links show, with the source that it was read from.
/// - **On offer** is what one connection tries, its **seat**: the connection itself, or one of a pool's. It is in use
///   once a link is up with it. A newer offer supersedes an older one, whose caller hears of it at once.
///
/// An offer has a number. The connection hears of a newer one by message, and a link with the older one may come up
/// before that: then the older one is in use until the newer one is.
struct CredentialInUse: Sendable {
    typealias Caller = @Sendable (OfferEnd) -> Void

    /// How an offer ended; its caller hears of it once.
    enum OfferEnd: Sendable, Equatable {
        /// It is in use.
        case taken
        /// It is what was in use already.
        case unchanged
        /// It was read from a source in whose place another one was given meanwhile.
        case outdated
        /// A poll read it, and no link came up with it a short while ago.
        case held
        /// No link came up with it.
        case failed(LinkFailure)
        /// The connection ended first.
        case closed
        /// Another one was offered meanwhile.
        case superseded
    }

    /// Where an offer comes from.
    enum Origin: Sendable {
        /// The caller gave it: it is read from there from now on.
        case given(CredentialSource)
        /// The source in use was read again.
        case read(Reading, isPoll: Bool)
    }

    /// What is to be read again, as it was when the reading began.
    struct Reading: Sendable {
        let source: CredentialSource
        /// What loads it; nil where files are read.
        let loader: CredentialLoader?
        fileprivate let revision: Int
    }

    /// What is to be done once it is decided, in this order.
    enum Action {
        case tell(Caller, OfferEnd)
        /// Another credential may be in use.
        case look
        /// It is read from another source.
        case watchSource
    }

    /// The connections of a pool that have to show what one of them came up with.
    struct Followers: Equatable {
        /// False: it is the credential they show already.
        let isOther: Bool
        /// Those that know it, or try a newer one.
        fileprivate let exceptions: Set<Int>

        func include(_ seat: Int) -> Bool { !exceptions.contains(seat) }
    }

    private struct Offer {
        let number: Int
        let seat: Int
        var credential: ResolvedCredential
        /// nil: from where the one in use comes.
        let source: CredentialSource?
        /// nil once it has heard how the offer ended.
        var caller: Caller?
        /// Another credential was taken while its seat tried this one.
        var hasMissed = false
    }

    /// What no link came up with, when a poll had read it: polls hold it back, each time longer.
    private struct Failed {
        let credential: ResolvedCredential
        var pause = 1
        var pollsLeft = 1
    }

    private(set) var current: ResolvedCredential
    private(set) var source: CredentialSource
    /// The latest is the last; those before it are superseded, and their connections may not know that yet.
    private var offers: [Offer] = []
    private var lastNumber = 0
    /// Counts the sources that were given and taken.
    private var revision = 0
    private var failed: Failed?
    /// What the answers to the credential in use say of the environment.
    private var suspicion = EnvironmentSuspicion()
    /// What those to the one before it said at its end.
    private var formerSuspicion = false

    private static let mostOffers = 16
    private static let longestPause = 32

    init(_ credential: ResolvedCredential, from source: CredentialSource) {
        current = credential
        self.source = source
    }

    /// What the next link of this connection shows: its offer, if it has one.
    func next(at seat: Int) -> ResolvedCredential { offers.last { $0.seat == seat }?.credential ?? current }

    /// The offer that this connection tries, and whether no newer one has superseded it.
    func offer(at seat: Int) -> (number: Int, isLatest: Bool)? {
        offers.last { $0.seat == seat }.map { ($0.number, $0.number == lastNumber) }
    }

    /// What reading it again begins with.
    var reading: Reading { Reading(source: source, loader: current.loader, revision: revision) }

    // MARK: Offers

    /// Puts a credential on offer, if it is to change anything.
    ///
    /// - Parameters:
    ///   - seat: Who tries it.
    ///   - isSuspended: Whether APNs refuses the credential in use: then the same one is tried again, unless a poll
    ///     brought it.
    /// - Returns: The offer's number; nil if it has ended already.
    mutating func offer(
        _ credential: ResolvedCredential, _ origin: Origin, at seat: Int, isSuspended: Bool, _ caller: @escaping Caller,
        _ actions: inout [Action]
    ) -> Int? {
        let isUnchanged = credential.isSame(as: current)
        switch origin {
        case .given(let source):
            revision += 1
            if isUnchanged, !isSuspended {
                use(source, &actions)
                actions.append(.tell(caller, .unchanged))
                return nil
            }
        case .read(let reading, let isPoll):
            if let end = end(of: reading, isPoll, credential, isUnchanged, isSuspended) {
                actions.append(.tell(caller, end))
                return nil
            }
        }
        if let earlier = offers.last?.caller { actions.append(.tell(earlier, .superseded)) }
        if !offers.isEmpty { offers[offers.count - 1].caller = nil }
        // Connections take messages faster than credentials are read; but none may be counted on.
        if offers.count == Self.mostOffers { offers.removeFirst() }
        lastNumber += 1
        var source: CredentialSource?
        if case .given(let given) = origin { source = given }
        offers.append(
            Offer(number: lastNumber, seat: seat, credential: credential, source: source, caller: caller))
        return lastNumber
    }

    /// How the offer of what was read again ends at once; nil if it is to be tried.
    private mutating func end(
        of reading: Reading, _ isPoll: Bool, _ credential: ResolvedCredential, _ isUnchanged: Bool, _ isSuspended: Bool
    ) -> OfferEnd? {
        // What was given since is newer than what was read from the source before it.
        guard reading.revision == revision, !offers.contains(where: { $0.source != nil }) else { return .outdated }
        if isUnchanged {
            failed = nil
            return isSuspended && !isPoll ? nil : .unchanged
        }
        guard isPoll, let failed, failed.credential.isSame(as: credential), failed.pollsLeft > 0 else { return nil }
        self.failed?.pollsLeft -= 1
        return .held
    }

    /// A link is up with the offer, or the next one will show it: it is in use from now on. Nothing if there is no such
    /// offer.
    ///
    /// - Returns: Who else has to show it.
    mutating func take(_ number: Int, _ actions: inout [Action]) -> Followers? {
        guard let index = offers.firstIndex(where: { $0.number == number }) else { return nil }
        let offer = offers[index]
        offers.removeFirst(index + 1)
        for index in offers.indices { offers[index].hasMissed = true }
        let isOther = !offer.credential.isSame(as: current)
        use(offer.credential)
        failed = nil
        // Together: else the old files could be read once more, and take the place of what was just taken.
        if let source = offer.source { use(source, &actions) }
        actions.append(.look)
        if let caller = offer.caller { actions.append(.tell(caller, .taken)) }
        return Followers(isOther: isOther, exceptions: Set(offers.map(\.seat) + [offer.seat]))
    }

    /// The offer is over, and what is in use stays. Nothing if there is no such offer.
    ///
    /// - Returns: Whether who tried it has to show another credential now, which was taken meanwhile.
    mutating func decline(_ number: Int, _ end: OfferEnd, _ actions: inout [Action]) -> Bool {
        guard let index = offers.firstIndex(where: { $0.number == number }) else { return false }
        let offer = offers.remove(at: index)
        if case .failed = end, offer.source == nil {
            let again = failed.flatMap { $0.credential.isSame(as: offer.credential) ? $0.pause * 2 : nil }
            let pause = min(again ?? 1, Self.longestPause)
            failed = Failed(credential: offer.credential, pause: pause, pollsLeft: pause)
        }
        if let caller = offer.caller { actions.append(.tell(caller, end)) }
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
            formerSuspicion = suspicion.isSuspected
            suspicion = EnvironmentSuspicion()
        }
        current = credential
    }

    // MARK: The environment

    /// Notes answers that came on a link with this credential, in their order: first so many of no interest, then
    /// perhaps one BadDeviceToken.
    ///
    /// - Returns: Whether the environment is suspected to be the wrong one for that credential.
    mutating func noteAnswers(to credential: ResolvedCredential, others: Int, isBad: Bool) -> Bool {
        // A link that drains still shows the one before.
        guard credential.isSame(as: current) else { return formerSuspicion }
        suspicion.noteOthers(others)
        if isBad { suspicion.noteBad() }
        return suspicion.isSuspected
    }
}
