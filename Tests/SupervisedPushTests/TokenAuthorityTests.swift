import ProcessRuntime
import PushSimulator
import PushTransport
import Testing

@testable import SupervisedPush

@Suite("parity: E5 – one authority renews at 50 minutes, never sooner, and survives a clock that jumps")
struct TokenAuthorityTests {
    private let time = ManualTime()
    private let authority: TokenAuthority

    init() throws {
        let key = try SigningKey(pem: Array(ThrowAwayCredentials().signingKeyPEM.utf8))
        authority = TokenAuthority(key: key, keyID: "ABC123DEFG", teamID: "DEF123GHIJ", time: time)
    }

    @Test func theSameTokenServesForFiftyMinutes() throws {
        let first = try authority.token(time.now)
        time.advance(by: .seconds(50 * 60 - 1))
        #expect(try authority.token(time.now) == first)
        time.advance(by: .seconds(1))
        let second = try authority.token(time.now)
        #expect(second != first && second.issuedAtSeconds == first.issuedAtSeconds + 3_000)
    }

    @Test func aWallClockThatJumpsMakesNoNewToken() throws {
        let first = try authority.token(time.now)
        let wall = time.wallClockMilliseconds
        time.setWallClock(milliseconds: wall + 2 * 3_600_000)
        #expect(try authority.token(time.now) == first)
        time.setWallClock(milliseconds: wall - 2 * 3_600_000)
        #expect(try authority.token(time.now) == first)
    }

    @Test func aClockThatWasFarAheadAtTheStartIsGivenUpWhenTheTokenIsCalledInvalid() throws {
        let first = try authority.issued(time.now)
        let wall = time.wallClockMilliseconds
        // A key of the wrong team, or the like: the clock is not to blame.
        for lag in [0, -3_600_000, 600_000] as [Int64] {
            time.setWallClock(milliseconds: wall - lag)
            authority.wasCalledInvalid(time.now)
            #expect(try authority.issued(time.now).number == first.number)
        }
        time.setWallClock(milliseconds: wall - 2 * 3_600_000)
        authority.wasCalledInvalid(time.now)
        let second = try authority.issued(time.now)
        #expect(second.number == first.number + 1 && second.issuedAt == first.issuedAt - 7_200)
        // Told once more, by another connection.
        authority.wasCalledInvalid(time.now)
        #expect(try authority.issued(time.now).number == second.number)
    }

    @Test func hundredsOfCallersGetOneToken() async throws {
        let authority = authority
        let now = time.now
        let tokens = try await withThrowingTaskGroup(of: ProviderToken.self) { group in
            for _ in 0..<200 { group.addTask { try authority.token(now) } }
            var tokens = Set<ProviderToken>()
            for try await token in group { tokens.insert(token) }
            return tokens
        }
        #expect(tokens.count == 1)
    }

    @Test func anExpiredTokenIsRenewedOnceWhateverItsAge() throws {
        let first = try authority.issued(time.now)
        #expect(try authority.renew(after: first.number, time.now))
        let second = try authority.issued(time.now)
        #expect(second.number == first.number + 1 && second.issuedAt == first.issuedAt + 1)
        // Others that had the first one find the second.
        #expect(try authority.renew(after: first.number, time.now))
        #expect(try authority.issued(time.now).number == second.number)
    }

    @Test func aFreshTokenIsNotRenewedAgainWithinAMinute() throws {
        let first = try authority.issued(time.now)
        #expect(try authority.renew(after: first.number, time.now))
        time.advance(by: .seconds(59))
        #expect(try !authority.renew(after: first.number + 1, time.now))
        time.advance(by: .seconds(1))
        #expect(try authority.renew(after: first.number + 1, time.now))
        #expect(try authority.issued(time.now).number == first.number + 2)
    }

    @Test func anExpiredTokenMakesTheAuthorityLookAtTheWallClockAgain() throws {
        let first = try authority.issued(time.now)
        time.setWallClock(milliseconds: time.wallClockMilliseconds + 2 * 3_600_000)
        #expect(try authority.renew(after: first.number, time.now))
        let second = try authority.issued(time.now)
        #expect(second.issuedAt == first.issuedAt + 7_200)
        #expect(authority.age(time.now) == .zero)
    }

    @Test func aWallClockSetBackIsNotFollowed() throws {
        let first = try authority.issued(time.now)
        time.setWallClock(milliseconds: time.wallClockMilliseconds - 2 * 3_600_000)
        #expect(try authority.renew(after: first.number, time.now))
        let second = try authority.issued(time.now)
        #expect(second.issuedAt == first.issuedAt + 1)
        #expect(try authority.issued(time.now).number == second.number)
    }

    @Test("parity: E5 – a clock that was far ahead at the start is followed back once the renewal is refused")
    func aClockThatWasAheadAtTheStartIsFollowedBack() throws {
        let right = time.wallClockMilliseconds
        time.setWallClock(milliseconds: right + 2 * 3_600_000)
        let key = try SigningKey(pem: Array(ThrowAwayCredentials().signingKeyPEM.utf8))
        let authority = TokenAuthority(key: key, keyID: "ABC123DEFG", teamID: "DEF123GHIJ", time: time)
        let first = try authority.issued(time.now)
        time.setWallClock(milliseconds: right)
        #expect(try authority.renew(after: first.number, time.now))
        let second = try authority.issued(time.now)
        #expect(second.issuedAt == first.issuedAt + 1)
        time.advance(by: .seconds(59))
        #expect(try !authority.renew(after: second.number, time.now))
        time.advance(by: .seconds(1))
        #expect(try authority.renew(after: second.number, time.now))
        let third = try authority.issued(time.now)
        #expect(third.issuedAt == time.wallClockMilliseconds / 1_000 && third.number == 3)
        #expect(authority.age(time.now) == .zero)
        // It serves for its fifty minutes, as any other.
        time.advance(by: .seconds(50 * 60 - 1))
        #expect(try authority.issued(time.now).number == 3)
        time.advance(by: .seconds(1))
        #expect(try authority.issued(time.now).issuedAt == third.issuedAt + 3_000)
    }

    @Test(arguments: [0, 600])
    func aRenewalThatIsRefusedForAnotherReasonIsFollowedByALaterToken(behind: Int64) throws {
        let first = try authority.issued(time.now)
        time.setWallClock(milliseconds: time.wallClockMilliseconds - behind * 1_000)
        #expect(try authority.renew(after: first.number, time.now))
        let second = try authority.issued(time.now)
        time.advance(by: .seconds(60))
        #expect(try authority.renew(after: second.number, time.now))
        #expect(try authority.issued(time.now).issuedAt == first.issuedAt + 60)
    }

    // MARK: What a link shows

    private func shown(after minutes: Int, _ token: inout LinkToken) throws -> UInt32 {
        time.advance(by: .seconds(minutes * 60))
        return try token.toShow(time.now).number
    }

    @Test func aLinkStaysWithATokenItHasShownForLessThanTwentyMinutes() throws {
        var first = LinkToken(authority)
        var second = LinkToken(authority)
        #expect(try shown(after: 0, &first) == 1)
        #expect(try shown(after: 33, &second) == 1)
        // The first link's is renewed at 50 minutes; the second has shown its own for 17, then for 21.
        #expect(try shown(after: 17, &first) == 2)
        #expect(try shown(after: 0, &second) == 1)
        #expect(try shown(after: 3, &second) == 1)
        #expect(try shown(after: 1, &second) == 2)
    }

    @Test func aLinkThatCouldNotShowATokenForLongEnoughBeginsWithANewOne() throws {
        var first = LinkToken(authority)
        var second = LinkToken(authority)
        #expect(try shown(after: 0, &first) == 1)
        #expect(try shown(after: 34, &second) == 2)
        #expect(try shown(after: 0, &first) == 2)
    }

    @Test func aTokenThatWasRefusedIsShownNoLonger() throws {
        var link = LinkToken(authority)
        #expect(try shown(after: 0, &link) == 1)
        #expect(try authority.renew(after: 1, time.now))
        link.ask()
        #expect(try shown(after: 0, &link) == 2)
    }

    // MARK: The shared window

    @Test func machinesWithASharedWindowGiveTheirTokensTheSameTime() throws {
        let key = try SigningKey(pem: Array(ThrowAwayCredentials().signingKeyPEM.utf8))
        let window = TokenAuthority.sharedWindow
        func authority() -> TokenAuthority {
            TokenAuthority(key: key, keyID: "ABC123DEFG", teamID: "DEF123GHIJ", hasSharedWindow: true, time: time)
        }
        let first = authority()
        let start = try first.token(time.now).issuedAtSeconds
        #expect(start % window == 0)
        time.advance(by: .seconds(29 * 60))
        let second = authority()
        #expect(try second.token(time.now).issuedAtSeconds == start)
        time.advance(by: .seconds(60))
        #expect(try first.token(time.now).issuedAtSeconds == start + window)
        #expect(try second.token(time.now).issuedAtSeconds == start + window)
    }

    @Test(.enabled(if: SigningKey.canSignAlike, "OpenSSL signs alike since 3.2"))
    func programsWithASharedWindowShowTheSameToken() throws {
        let key = try SigningKey(pem: Array(ThrowAwayCredentials().signingKeyPEM.utf8))
        let authorities = (0..<2).map { [time] _ in
            TokenAuthority(key: key, keyID: "ABC123DEFG", teamID: "DEF123GHIJ", hasSharedWindow: true, time: time)
        }
        #expect(try authorities[0].token(time.now) == authorities[1].token(time.now))
    }
}
