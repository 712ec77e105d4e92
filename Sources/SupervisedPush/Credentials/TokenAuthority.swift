import Locking
import WireTransport

/// Makes and renews the provider token of one team and key, for every connection that uses them.
///
/// The token is made at first use and renewed when it is 50 minutes old (APNs takes it for an hour, and no more than one
/// every 20 minutes). Its age is measured on a clock that jumps of the wall clock do not reach: the wall clock at the
/// authority's start, carried on by the monotonic clock.
final class TokenAuthority: Sendable {
    private let key: SigningKey
    private let keyID: String
    private let teamID: String
    private let anchor: (wallClock: Int64, instant: MonotonicInstant)
    private let current = Locked<ProviderToken?>(nil)

    init(key: SigningKey, keyID: String, teamID: String, time: any TimeSource) {
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
        anchor = (time.wallClockMilliseconds, time.now)
    }

    /// The token to use now; signed if there is none or it is due.
    ///
    /// The signature takes some 20 µs and is made under the lock, so that connections that ask at the same moment get
    /// the same token.
    func token(_ now: MonotonicInstant) throws -> ProviderToken {
        let seconds = unixSeconds(now)
        return try current.withLock { current in
            if let token = current, !token.mustRenew(at: seconds) { return token }
            let token = try sign(seconds)
            current = token
            return token
        }
    }

    /// How old the current token is; nil if none was made yet.
    func age(_ now: MonotonicInstant) -> Duration? {
        current.withLock { $0.map { .seconds($0.age(at: unixSeconds(now))) } }
    }

    private func sign(_ issuedAt: Int64) throws -> ProviderToken {
        let token = try ProviderToken(keyID: keyID, teamID: teamID, issuedAt: issuedAt, sign: key.sign)
        guard let token else { throw UnusableSignature() }
        return token
    }

    private struct UnusableSignature: Error, CustomStringConvertible {
        var description: String { "The signing key gave a signature that is not ES256." }
    }

    private func unixSeconds(_ now: MonotonicInstant) -> Int64 {
        (anchor.wallClock + (now.nanoseconds - anchor.instant.nanoseconds) / 1_000_000) / 1_000
    }
}
