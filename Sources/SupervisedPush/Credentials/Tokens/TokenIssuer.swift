import ProcessRuntime

/// Issues provider tokens to the connections of one credential.
protocol TokenIssuer: AnyObject, Sendable {
    /// The token to use now on a link that has used `shown` since then; nil: the link begins.
    func issued(_ now: MonotonicInstant, after shown: IssuedToken?, since: MonotonicInstant) throws -> IssuedToken

    /// APNs refused the token with this number as expired. True if there is a newer one now, or the link that is
    /// dialled next will have one.
    func renew(after number: UInt32, _ now: MonotonicInstant) throws -> Bool

    /// APNs called the token invalid, which it also does if the token seems to come from the future.
    func wasCalledInvalid(_ now: MonotonicInstant)

    /// Whether the credential's loader must bring a token before the next link.
    var needsLoading: Bool { get }

    /// The token in use with its content; nil if that is not known.
    func providerToken(_ now: MonotonicInstant) throws -> ProviderToken?

    /// The age of the token in use; nil if there is none yet.
    func age(_ now: MonotonicInstant) -> Duration?
}

extension TokenIssuer {
    /// An issuer that does not make its tokens can do nothing about it.
    func wasCalledInvalid(_ now: MonotonicInstant) {}
}

extension ResolvedCredential {
    /// Whether there is a newer provider token than the one with this number, which APNs refused as expired.
    ///
    /// - Parameter shown: The credential of the link on which it was refused; nil if that is gone.
    func hasNewerToken(than number: UInt32, shownBy shown: ResolvedCredential?, _ now: MonotonicInstant) -> Bool {
        if let shown, shown.authority !== authority { return true }
        // A key that cannot sign made no earlier token either, so the answer is all there is to report.
        return (try? authority?.renew(after: number, now)) ?? false
    }
}

/// A provider token and its number: 1, 2, 3 … in the issuer's order.
final class IssuedToken: Sendable {
    let number: UInt32
    /// The value of the header `authorization`.
    let headerValue: [UInt8]
    /// In seconds since 1970: when it was made, or when the caller's source returned it.
    let issuedAt: Int64
    /// Its content; nil for a token of the caller's, which is not read.
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

    /// Whether a link that has used it since then should keep it although there is a newer one: see ``LinkToken``.
    func stays(shownFor use: Duration, at now: Int64) -> Bool {
        use < LinkToken.shortestUse && age(at: now) < LinkToken.latestAge
    }
}

/// The provider token of one link.
///
/// APNs accepts another token on a connection no earlier than 20 minutes after the last one. So a link keeps a token
/// that it has used for less, even if its issuer has a newer one, unless APNs would soon refuse it for its age.
struct LinkToken {
    /// The shortest time for which a link uses a token: APNs' 20 minutes, plus one for a slow network.
    static let shortestUse = Duration.seconds(21 * 60)
    /// From this age, in seconds, a token is replaced by a newer one however short its use was.
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
        do { next = try issuer.issued(now, after: issued, since: shownSince) } catch {
            throw UnsendablePush(.credentialRefused, "There is no provider token: \(error)")
        }
        checked = now
        if next !== issued {
            issued = next
            shownSince = now
        }
        return next
    }

    /// The issuer is asked before the next push.
    mutating func ask() { checked = nil }
}

extension Credential {
    /// Signs a provider token with this credential; nil for a certificate.
    ///
    /// For tools that need a single token. A connection makes and renews its own, see `PushConnection.providerToken()`.
    /// APNs accepts at most one new token every 20 minutes.
    ///
    /// - Throws: ``ConnectError`` if the key cannot be read or used.
    public func makeProviderToken() throws(ConnectError) -> ProviderToken? {
        guard case .token = kind else { return nil }
        let time = SystemTime()
        let config = PushConnection.Configuration(credential: self)
        guard let authority = try CredentialReader(time: time).resolve(config).authority else { return nil }
        do { return try authority.providerToken(time.now) } catch {
            throw ConnectError(.credential, "The provider token could not be signed: \(error)")
        }
    }
}
