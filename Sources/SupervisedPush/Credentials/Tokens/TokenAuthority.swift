import FoundationEssentials
import ProcessRuntime
import PushLocking
import PushTransport

/// Makes and renews the provider token of one team and key, for every connection that uses them.
///
/// The token is made at first use and renewed when it is 50 minutes old (APNs takes it for an hour, and no more than one
/// every 20 minutes), or when a link begins with it that could not show it for so long. Its age is measured on a clock that
/// jumps of the wall clock do not reach: the wall clock at the authority's start, carried on by the monotonic clock. Where
/// APNs says that a token has expired, that clock was wrong, and the wall clock is asked again: one that is ahead is
/// believed at once, one that is far behind only when the token made for it is refused, too – or when APNs calls the token
/// invalid, as it does one from the future.
///
/// With a **shared window** the time in a token is that of the last full half hour, so that machines that sign alike make the
/// same token.
final class TokenAuthority: TokenIssuer {
    private struct State {
        var current: IssuedToken?
        /// The wall clock in milliseconds, at an instant.
        var anchor: (wallClock: Int64, instant: MonotonicInstant)
        /// The number of the token that APNs refused last as expired.
        var refused: UInt32 = 0
        /// The number of the token that APNs called invalid last.
        var invalid: UInt32?
        /// When a token was made last because APNs refused the one before as expired.
        var renewed: MonotonicInstant?

        func unixSeconds(_ now: MonotonicInstant) -> Int64 { milliseconds(now) / 1_000 }

        func milliseconds(_ now: MonotonicInstant) -> Int64 {
            anchor.wallClock + (now.nanoseconds - anchor.instant.nanoseconds) / 1_000_000
        }
    }

    /// A token refused as expired so soon after such a renewal is refused for another reason: this machine's clock.
    static let renewalPause = Duration.seconds(60)

    /// A wall clock that is behind by no more than this is never followed, in milliseconds.
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

    /// The token to use now; signed if there is none or it is due.
    func token(_ now: MonotonicInstant) throws -> ProviderToken {
        guard let token = try issued(now).token else { throw UnusableSignature() }
        return token
    }

    func providerToken(_ now: MonotonicInstant) throws -> ProviderToken? { try token(now) }

    var needsLoading: Bool { false }

    /// The token to use now, with its number.
    ///
    /// The signature takes some 20 µs and is made under the lock, so that connections that ask at the same moment get
    /// the same token.
    func issued(_ now: MonotonicInstant) throws -> IssuedToken {
        try state.withLock { try current(now, &$0) }
    }

    /// The token that a link is to show now which has shown this one since then; nil: it begins.
    func issued(_ now: MonotonicInstant, after shown: IssuedToken?, _ since: MonotonicInstant) throws -> IssuedToken {
        try state.withLock { state in
            // It was from the future then, and the clock may have been set right since.
            if shown == nil, state.current?.number == state.invalid { followBack(now, &state) }
            let newest = try current(now, &state)
            let age = newest.age(at: state.unixSeconds(now))
            guard let shown else {
                // A link that begins has to be able to show it for long enough.
                let lasts = age + ShownToken.shortestUse.components.seconds < ShownToken.latestAge
                return lasts ? newest : try issue(state.unixSeconds(now), &state)
            }
            let stays = shown.stays(shownFor: since.duration(to: now), at: state.unixSeconds(now))
            return stays && shown.number != state.refused ? shown : newest
        }
    }

    private func current(_ now: MonotonicInstant, _ state: inout State) throws -> IssuedToken {
        let seconds = state.unixSeconds(now)
        guard let current = state.current else { return try issue(issueTime(seconds), &state) }
        let isDue =
            hasSharedWindow
            ? issueTime(seconds) > current.issuedAt : current.token?.mustRenew(at: Date(unixSeconds: seconds)) ?? true
        return isDue ? try issue(issueTime(seconds), &state) : current
    }

    /// The time that a token bears which is made now.
    private func issueTime(_ seconds: Int64) -> Int64 {
        hasSharedWindow ? seconds - seconds % Self.sharedWindow : seconds
    }

    /// APNs refused the token of this number as expired. True if there is a newer one now: made by somebody else
    /// meanwhile, or here, whatever its age, and with a later `iat`; with an earlier one only if this machine's clock was far
    /// ahead when the authority began. False if one was made for this reason within the last minute: then another would be
    /// refused, too.
    func renew(after number: UInt32, _ now: MonotonicInstant) throws -> Bool {
        try state.withLock { state in
            guard let current = state.current, current.number == number else {
                return (state.current?.number ?? 0) > number
            }
            if let renewed = state.renewed, renewed.duration(to: now) < Self.renewalPause { return false }
            let wallClock = time.wallClockMilliseconds
            let lag = state.milliseconds(now) - wallClock
            // A clock that is set back is not followed at first: the next token would be older than this one. If that is what
            // the refusal was about, the renewal helped nothing.
            let wasInVain = state.renewed != nil && current.number == state.refused &+ 1
            let isFollowedBack = wasInVain && lag > Self.toleratedLag
            if lag < 0 || isFollowedBack { state.anchor = (wallClock, now) }
            let issuedAt = issueTime(state.unixSeconds(now))
            _ = try issue(isFollowedBack ? issuedAt : max(issuedAt, current.issuedAt + 1), &state)
            state.refused = number
            state.renewed = now
            return true
        }
    }

    func wasCalledInvalid(_ now: MonotonicInstant) {
        state.withLock { state in
            state.invalid = state.current?.number
            followBack(now, &state)
        }
    }

    /// If the wall clock has been set back far since this began, it was ahead then, and all tokens were from the future: it is
    /// followed, so that the next link begins with a token that is not.
    private func followBack(_ now: MonotonicInstant, _ state: inout State) {
        let wallClock = time.wallClockMilliseconds
        guard let current = state.current, state.milliseconds(now) - wallClock > Self.toleratedLag else { return }
        state.anchor = (wallClock, now)
        state.refused = current.number
        // A key that cannot sign made no token before either.
        _ = try? issue(issueTime(state.unixSeconds(now)), &state)
    }

    /// Whether APNs would take another token by now: it takes one every 20 minutes.
    func mayMint(_ now: MonotonicInstant) -> Bool { age(now).map { $0 >= ProviderToken.minimumRenewalAge } ?? true }

    /// How old the current token is; nil if none was made yet.
    func age(_ now: MonotonicInstant) -> Duration? {
        state.withLock { state in state.current.map { .seconds($0.age(at: state.unixSeconds(now))) } }
    }

    private func issue(_ issuedAt: Int64, _ state: inout State) throws -> IssuedToken {
        let token = try ProviderToken(keyID: keyID, teamID: teamID, issuedAtSeconds: issuedAt, sign: sign)
        guard let token else { throw UnusableSignature() }
        let issued = IssuedToken(token, number: (state.current?.number ?? 0) &+ 1)
        state.current = issued
        return issued
    }

    private func sign(_ bytes: [UInt8]) throws(KeyError) -> [UInt8] { try key.sign(bytes, alike: hasSharedWindow) }

    private struct UnusableSignature: Error, CustomStringConvertible {
        var description: String { "The signing key gave a signature that is not ES256." }
    }
}
