import Locking
import WireTransport

/// Makes and renews the provider token of one team and key, for every connection that uses them.
///
/// The token is made at first use and renewed when it is 50 minutes old (APNs takes it for an hour, and no more than one
/// every 20 minutes). Its age is measured on a clock that jumps of the wall clock do not reach: the wall clock at the
/// authority's start, carried on by the monotonic clock. Where APNs says that a token has expired, that clock was wrong,
/// and the wall clock is asked again.
final class TokenAuthority: Sendable {
    /// A token and its number: 1, 2, 3 … in the order they were made.
    struct Issued: Sendable {
        let token: ProviderToken
        let number: UInt32
    }

    private struct State {
        var current: Issued?
        /// The wall clock in milliseconds, at an instant.
        var anchor: (wallClock: Int64, instant: MonotonicInstant)
        /// When a token was made last because APNs refused the one before as expired.
        var renewed: MonotonicInstant?

        func unixSeconds(_ now: MonotonicInstant) -> Int64 { milliseconds(now) / 1_000 }

        func milliseconds(_ now: MonotonicInstant) -> Int64 {
            anchor.wallClock + (now.nanoseconds - anchor.instant.nanoseconds) / 1_000_000
        }
    }

    /// A token refused as expired so soon after such a renewal is refused for another reason: this machine's clock.
    static let renewalPause = Duration.seconds(60)

    private let key: SigningKey
    private let keyID: String
    private let teamID: String
    private let time: any TimeSource
    private let state: Locked<State>

    init(key: SigningKey, keyID: String, teamID: String, time: any TimeSource) {
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
        self.time = time
        state = Locked(State(anchor: (time.wallClockMilliseconds, time.now)))
    }

    /// The token to use now; signed if there is none or it is due.
    func token(_ now: MonotonicInstant) throws -> ProviderToken { try issued(now).token }

    /// The token to use now, with its number.
    ///
    /// The signature takes some 20 µs and is made under the lock, so that connections that ask at the same moment get
    /// the same token.
    func issued(_ now: MonotonicInstant) throws -> Issued {
        try state.withLock { state in
            let seconds = state.unixSeconds(now)
            if let current = state.current, !current.token.mustRenew(at: seconds) { return current }
            return try issue(seconds, &state)
        }
    }

    /// APNs refused the token of this number as expired. True if there is a newer one now: made by somebody else
    /// meanwhile, or here, whatever its age, and with a later `iat`. False if one was made for this reason within the
    /// last minute: then another would be refused, too.
    func renew(after number: UInt32, _ now: MonotonicInstant) throws -> Bool {
        try state.withLock { state in
            guard let current = state.current, current.number == number else {
                return (state.current?.number ?? 0) > number
            }
            if let renewed = state.renewed, renewed.duration(to: now) < Self.renewalPause { return false }
            // A clock that is set back is not followed: the next token would be older than this one.
            let wallClock = time.wallClockMilliseconds
            if wallClock > state.milliseconds(now) { state.anchor = (wallClock, now) }
            _ = try issue(max(state.unixSeconds(now), current.token.issuedAt + 1), &state)
            state.renewed = now
            return true
        }
    }

    /// Whether APNs would take another token by now: it takes one every 20 minutes.
    func mayMint(_ now: MonotonicInstant) -> Bool { age(now).map { $0 >= .seconds(20 * 60) } ?? true }

    /// How old the current token is; nil if none was made yet.
    func age(_ now: MonotonicInstant) -> Duration? {
        state.withLock { state in state.current.map { .seconds($0.token.age(at: state.unixSeconds(now))) } }
    }

    private func issue(_ issuedAt: Int64, _ state: inout State) throws -> Issued {
        let token = try ProviderToken(keyID: keyID, teamID: teamID, issuedAt: issuedAt, sign: key.sign)
        guard let token else { throw UnusableSignature() }
        let issued = Issued(token: token, number: (state.current?.number ?? 0) &+ 1)
        state.current = issued
        return issued
    }

    private struct UnusableSignature: Error, CustomStringConvertible {
        var description: String { "The signing key gave a signature that is not ES256." }
    }
}
