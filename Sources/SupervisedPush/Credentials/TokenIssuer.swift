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
