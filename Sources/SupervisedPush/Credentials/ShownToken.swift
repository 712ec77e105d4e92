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
