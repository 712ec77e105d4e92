import FoundationEssentials
import ProcessRuntime
import PushLocking
import PushTransport

/// Makes and renews the provider token of one team and key, for every connection that uses them.
///
/// A token is made at first use. It is renewed when it is 50 minutes old (APNs accepts it for an hour, and at most one
/// new token every 20 minutes), or when a link begins that could not use it for long enough. Its age is measured on a
/// clock that is not affected when the wall clock is set: the wall clock at the authority's start, carried on by the
/// monotonic clock.
///
/// If APNs says that a token has expired, that clock was wrong, and the wall clock is read again. If it is ahead, it is
/// trusted at once. If it is far behind, it is trusted only when the token made for it is also refused, or when APNs
/// calls the token invalid, as it does for one from the future.
///
/// With a **shared window**, the time in a token is that of the last full half hour, so machines that sign
/// deterministically make the same token.
final class TokenAuthority: TokenIssuer {
    private struct State {
        var current: IssuedToken?
        /// The wall clock in milliseconds, at an instant.
        var anchor: (wallClock: Int64, instant: MonotonicInstant)
        /// The number of the token that APNs last refused as expired.
        var refused: UInt32 = 0
        /// The number of the token that APNs last called invalid.
        var invalid: UInt32?
        /// When a token was last made because APNs refused its predecessor as expired.
        var renewed: MonotonicInstant?

        func unixSeconds(_ now: MonotonicInstant) -> Int64 { milliseconds(now) / 1_000 }

        func milliseconds(_ now: MonotonicInstant) -> Int64 {
            anchor.wallClock + (now.nanoseconds - anchor.instant.nanoseconds) / 1_000_000
        }
    }

    /// If a token is refused as expired so soon after such a renewal, the reason is another one: this machine's clock.
    static let renewalPause = Duration.seconds(60)

    /// A wall clock that is behind by at most this, in milliseconds, is not followed.
    static let toleratedLag: Int64 = 10 * 60 * 1_000

    /// The shared window, in seconds.
    static let sharedWindow: Int64 = 30 * 60

    private let key: SigningKey
    private let keyID: String
    private let teamID: String
    private let hasSharedWindow: Bool
    private let time: any TimeSource
    private let state: Locked<State>

    init(key: SigningKey, keyID: String, teamID: String, hasSharedWindow: Bool = false, time: any TimeSource) {
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
        self.hasSharedWindow = hasSharedWindow
        self.time = time
        state = Locked(State(anchor: (time.wallClockMilliseconds, time.now)))
    }

    /// The token to use now; a new one is signed if there is none or it is due.
    func token(_ now: MonotonicInstant) throws -> ProviderToken {
        guard let token = try issued(now).token else { throw UnusableSignature() }
        return token
    }

    func providerToken(_ now: MonotonicInstant) throws -> ProviderToken? { try token(now) }

    var needsLoading: Bool { false }

    /// The token to use now, with its number.
    ///
    /// The signature takes about 20 µs and is made under the lock, so that concurrent callers get the same token.
    func issued(_ now: MonotonicInstant) throws -> IssuedToken {
        try state.withLock { try current(now, in: &$0) }
    }

    /// The token to use now on a link that has used `shown` since then; nil: the link begins.
    func issued(_ now: MonotonicInstant, after shown: IssuedToken?, since: MonotonicInstant) throws -> IssuedToken {
        try state.withLock { state in
            // It was from the future then, and the clock may have been corrected since.
            if shown == nil, state.current?.number == state.invalid { followBack(now, in: &state) }
            let newest = try current(now, in: &state)
            let age = newest.age(at: state.unixSeconds(now))
            guard let shown else {
                // A link that begins must be able to use it for long enough.
                let lasts = age + LinkToken.shortestUse.components.seconds < LinkToken.latestAge
                return lasts ? newest : try issue(state.unixSeconds(now), in: &state)
            }
            let stays = shown.stays(shownFor: since.duration(to: now), at: state.unixSeconds(now))
            return stays && shown.number != state.refused ? shown : newest
        }
    }

    private func current(_ now: MonotonicInstant, in state: inout State) throws -> IssuedToken {
        let seconds = state.unixSeconds(now)
        guard let current = state.current else { return try issue(issueTime(seconds), in: &state) }
        let isDue =
            hasSharedWindow
            ? issueTime(seconds) > current.issuedAt : current.token?.mustRenew(at: Date(unixSeconds: seconds)) ?? true
        return isDue ? try issue(issueTime(seconds), in: &state) : current
    }

    /// The time for a token that is made now.
    private func issueTime(_ seconds: Int64) -> Int64 {
        hasSharedWindow ? seconds - seconds % Self.sharedWindow : seconds
    }

    /// APNs refused the token with this number as expired. True if there is a newer one now: made by another connection
    /// in the meantime, or here, whatever its age, with a later `iat`; with an earlier one only if this machine's clock
    /// was far ahead when the authority began. False if one was made for this reason within the last minute, because
    /// another would also be refused.
    func renew(after number: UInt32, _ now: MonotonicInstant) throws -> Bool {
        try state.withLock { state in
            guard let current = state.current, current.number == number else {
                return (state.current?.number ?? 0) > number
            }
            if let renewed = state.renewed, renewed.duration(to: now) < Self.renewalPause { return false }
            let wallClock = time.wallClockMilliseconds
            let lag = state.milliseconds(now) - wallClock
            // A clock that is set back is not followed at first, because the next token would be older than this one.
            // If the clock caused the refusal, the renewal did not help.
            let wasInVain = state.renewed != nil && current.number == state.refused &+ 1
            let isFollowedBack = wasInVain && lag > Self.toleratedLag
            if lag < 0 || isFollowedBack { state.anchor = (wallClock, now) }
            let issuedAt = issueTime(state.unixSeconds(now))
            _ = try issue(isFollowedBack ? issuedAt : max(issuedAt, current.issuedAt + 1), in: &state)
            state.refused = number
            state.renewed = now
            return true
        }
    }

    func wasCalledInvalid(_ now: MonotonicInstant) {
        state.withLock { state in
            state.invalid = state.current?.number
            followBack(now, in: &state)
        }
    }

    /// If the wall clock was set back far since this authority began, it was ahead then, and all tokens were from the
    /// future. It is followed, so that the next link begins with a valid token.
    private func followBack(_ now: MonotonicInstant, in state: inout State) {
        let wallClock = time.wallClockMilliseconds
        guard let current = state.current, state.milliseconds(now) - wallClock > Self.toleratedLag else { return }
        state.anchor = (wallClock, now)
        state.refused = current.number
        // A key that cannot sign made no earlier token either.
        _ = try? issue(issueTime(state.unixSeconds(now)), in: &state)
    }

    /// Whether APNs would take another token by now: it takes one every 20 minutes.
    func mayMint(_ now: MonotonicInstant) -> Bool { age(now).map { $0 >= ProviderToken.minimumRenewalAge } ?? true }

    /// The age of the present token; nil if none was made yet.
    func age(_ now: MonotonicInstant) -> Duration? {
        state.withLock { state in state.current.map { .seconds($0.age(at: state.unixSeconds(now))) } }
    }

    private func issue(_ issuedAt: Int64, in state: inout State) throws -> IssuedToken {
        let token = try ProviderToken(keyID: keyID, teamID: teamID, issuedAtSeconds: issuedAt, sign: sign)
        guard let token else { throw UnusableSignature() }
        let issued = IssuedToken(token, number: (state.current?.number ?? 0) &+ 1)
        state.current = issued
        return issued
    }

    private func sign(_ bytes: [UInt8]) throws(KeyError) -> [UInt8] { try key.sign(bytes, alike: hasSharedWindow) }

    private struct UnusableSignature: Error, CustomStringConvertible {
        var description: String { "The signing key made a signature that is not ES256." }
    }
}
