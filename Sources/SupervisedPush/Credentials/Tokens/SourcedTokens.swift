import ProcessRuntime
import PushLocking

/// The provider tokens from the caller's own source, for every connection of the credential.
///
/// The credential's loader asks the source: while the first link is dialled, in the background when a token has been in
/// use for 50 minutes, and while a link is dialled after APNs refused a token as expired. The time a token was made is
/// unknown, so its age counts from when it was returned.
final class SourcedTokens: TokenIssuer {
    private struct State {
        var current: IssuedToken?
        var givenAt = MonotonicInstant(nanoseconds: 0)
        var askedAt: MonotonicInstant?
        var refused: UInt32 = 0
        var needsLoading = false
    }

    /// The time between two requests in the background, if the first brought no token.
    private static let pause = Duration.seconds(60)

    private let state = Locked(State())
    private let ask: @Sendable () -> Void

    /// - Parameter ask: Has the loader ask the source, and returns at once.
    init(ask: @escaping @Sendable () -> Void) { self.ask = ask }

    /// The source returned a token. The same one again changes nothing, or only its age if another one was asked for.
    func accept(_ bearer: BearerToken, _ now: MonotonicInstant) {
        state.withLock { state in
            let isSame = state.current?.headerValue == bearer.headerValue
            // Polls ask more often than tokens expire.
            if isSame, state.askedAt == nil, !state.needsLoading { return }
            let number = (state.current?.number ?? 0) &+ (isSame ? 0 : 1)
            state.current = IssuedToken(bearer, givenAt: Self.seconds(now), number: number)
            state.givenAt = now
            state.askedAt = nil
            state.needsLoading = false
        }
    }

    var needsLoading: Bool { state.withLock { $0.needsLoading } }

    func issued(_ now: MonotonicInstant, after shown: IssuedToken?, since: MonotonicInstant) throws -> IssuedToken {
        let (token, isDue) = state.withLock { state -> (IssuedToken?, Bool) in
            guard let newest = state.current else { return (nil, false) }
            let age = state.givenAt.duration(to: now)
            let mayAsk = state.askedAt.map { $0.duration(to: now) >= Self.pause } ?? true
            let isDue = age >= ProviderToken.renewalAge && mayAsk
            if isDue { state.askedAt = now }
            guard let shown, shown.number != state.refused else { return (newest, isDue) }
            let stays = shown.stays(shownFor: since.duration(to: now), at: Self.seconds(now))
            return (stays ? shown : newest, isDue)
        }
        if isDue { ask() }
        guard let token else { throw NoToken() }
        return token
    }

    func renew(after number: UInt32, _ now: MonotonicInstant) throws -> Bool {
        state.withLock { state in
            guard let current = state.current, current.number == number else {
                return (state.current?.number ?? 0) > number
            }
            // A token that was only just returned is refused for another reason.
            if state.givenAt.duration(to: now) < TokenAuthority.renewalPause { return false }
            state.refused = number
            state.needsLoading = true
            return true
        }
    }

    func providerToken(_ now: MonotonicInstant) throws -> ProviderToken? { nil }

    func age(_ now: MonotonicInstant) -> Duration? {
        state.withLock { state in state.current == nil ? nil : state.givenAt.duration(to: now) }
    }

    /// Ages are measured on the monotonic clock alone.
    private static func seconds(_ now: MonotonicInstant) -> Int64 { now.nanoseconds / 1_000_000_000 }

    private struct NoToken: Error, CustomStringConvertible {
        var description: String { "The token source has not returned a token yet." }
    }
}
