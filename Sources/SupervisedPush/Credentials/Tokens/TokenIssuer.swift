import ProcessRuntime

/// Gives the connections of one credential their provider tokens.
protocol TokenIssuer: AnyObject, Sendable {
    /// The token that a link is to show now which has shown this one since then; nil: it begins.
    func issued(_ now: MonotonicInstant, after shown: IssuedToken?, _ since: MonotonicInstant) throws -> IssuedToken

    /// APNs refused the token of this number as expired. True if there is a newer one now, or the link that is dialled next
    /// will have one.
    func renew(after number: UInt32, _ now: MonotonicInstant) throws -> Bool

    /// APNs called the token invalid, which it also does where the token seems to come from the future.
    func wasCalledInvalid(_ now: MonotonicInstant)

    /// Whether the credential's loader has to bring a token before the next link.
    var needsLoading: Bool { get }

    /// The token in use, with what it says; nil where that is not known.
    func providerToken(_ now: MonotonicInstant) throws -> ProviderToken?

    /// How old the token in use is; nil if there is none yet.
    func age(_ now: MonotonicInstant) -> Duration?
}

extension TokenIssuer {
    /// Who does not make the tokens can do nothing about it.
    func wasCalledInvalid(_ now: MonotonicInstant) {}
}

extension ResolvedCredential {
    /// Whether there is a newer provider token than the one of this number, which APNs refused as expired.
    ///
    /// - Parameter shown: what the link shows on which it was refused; nil if that is gone.
    func hasNewerToken(than number: UInt32, shownBy shown: ResolvedCredential?, _ now: MonotonicInstant) -> Bool {
        if let shown, shown.authority !== authority { return true }
        // A key that cannot sign made no token before either; the answer is all there is to report.
        return (try? authority?.renew(after: number, now)) ?? false
    }
}

/// A provider token and its number: 1, 2, 3 … in the order an issuer had them.
final class IssuedToken: Sendable {
    let number: UInt32
    /// The value of the header `authorization`.
    let headerValue: [UInt8]
    /// In seconds since 1970: when it was made, or when the caller's source gave it.
    let issuedAt: Int64
    /// What it says; nil for a token of the caller's, which is not read.
    let token: ProviderToken?

    init(_ token: ProviderToken, number: UInt32) {
        self.number = number
        self.token = token
        issuedAt = token.issuedAtSeconds
        headerValue = token.headerValue
    }

    init(_ bearer: BearerToken, givenAt now: Int64, number: UInt32) {
        self.number = number
        token = nil
        issuedAt = now
        headerValue = bearer.headerValue
    }

    /// In seconds.
    func age(at now: Int64) -> Int64 { now - issuedAt }

    /// Whether a link that has shown it since then should go on with it although there is a newer one: see ``ShownToken``.
    func stays(shownFor use: Duration, at now: Int64) -> Bool {
        use < ShownToken.shortestUse && age(at: now) < ShownToken.latestAge
    }
}

/// The provider token that one link shows.
///
/// APNs takes another token on a connection 20 minutes after the last one at the earliest. So a link stays with a token that
/// it has shown for less, although its issuer has a newer one, unless APNs would soon refuse it for its age.
struct ShownToken {
    /// How long a link shows a token at least: APNs' 20 minutes, and one for a network that is slow once.
    static let shortestUse = Duration.seconds(21 * 60)
    /// From this age on a token gives way to a newer one however short it was shown, in seconds.
    static let latestAge: Int64 = 55 * 60

    private let issuer: any TokenIssuer
    private(set) var issued: IssuedToken?
    private var shownSince = MonotonicInstant(nanoseconds: 0)
    private var checked: MonotonicInstant?

    init(_ issuer: any TokenIssuer) { self.issuer = issuer }

    /// The token for the next push. The issuer is asked once a second, not for every push.
    mutating func toShow(_ now: MonotonicInstant) throws(UnsendablePush) -> IssuedToken {
        if let issued, let checked, checked.duration(to: now) < .seconds(1) { return issued }
        let next: IssuedToken
        do { next = try issuer.issued(now, after: issued, shownSince) } catch {
            throw UnsendablePush(.credentialRefused, "There is no provider token: \(error)")
        }
        checked = now
        if next !== issued {
            issued = next
            shownSince = now
        }
        return next
    }

    /// Has the issuer asked before the next push.
    mutating func ask() { checked = nil }
}

extension Credential {
    /// Signs a provider token with this credential; nil for a certificate.
    ///
    /// For tools that need one token. A connection makes and renews its own, see `PushConnection.providerToken()`;
    /// APNs refuses more than one new token every 20 minutes.
    ///
    /// - Throws: ``ConnectError`` if the key cannot be read or used.
    public func makeProviderToken() throws(ConnectError) -> ProviderToken? {
        guard case .token = kind else { return nil }
        let time = SystemTime()
        let config = ConnectionConfig(credential: self)
        guard let authority = try CredentialReader(time: time).resolve(config).authority else { return nil }
        do { return try authority.providerToken(time.now) } catch {
            throw ConnectError(.credential, "The provider token could not be signed: \(error)")
        }
    }
}
