import PushSimulator
import Testing
import WireTransport

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
        #expect(second != first && second.issuedAt == first.issuedAt + 3_000)
    }

    @Test func aWallClockThatJumpsMakesNoNewToken() throws {
        let first = try authority.token(time.now)
        let wall = time.wallClockMilliseconds
        time.setWallClock(milliseconds: wall + 2 * 3_600_000)
        #expect(try authority.token(time.now) == first)
        time.setWallClock(milliseconds: wall - 2 * 3_600_000)
        #expect(try authority.token(time.now) == first)
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
        #expect(second.number == first.number + 1 && second.token.issuedAt == first.token.issuedAt + 1)
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
        #expect(second.token.issuedAt == first.token.issuedAt + 7_200)
        #expect(authority.age(time.now) == .zero)
    }

    @Test func aWallClockSetBackIsNotFollowed() throws {
        let first = try authority.issued(time.now)
        time.setWallClock(milliseconds: time.wallClockMilliseconds - 2 * 3_600_000)
        #expect(try authority.renew(after: first.number, time.now))
        let second = try authority.issued(time.now)
        #expect(second.token.issuedAt == first.token.issuedAt + 1)
        #expect(try authority.issued(time.now).number == second.number)
    }
}
