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
        issuedAt = token.issuedAt
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
