import Testing

@testable import PushServer

@Suite("The gate of an inbox") struct GateTests {
    private func status(
        _ gate: Gate = Gate(host: "127.0.0.1", names: ["inbox.test"]), _ method: String = "GET",
        path: String = "/v1/pushes",
        host: String? = "127.0.0.1:8035", origin: String? = nil, site: String? = nil
    ) -> Int? {
        do throws(InboxProblem) {
            try gate.check(.init(method: method, path: path, authority: host, origin: origin, fetchSite: site))
            return nil
        } catch { return error.status }
    }

    @Test(arguments: [
        "127.0.0.1", "127.0.0.1:8035", "localhost:1", "LOCALHOST", "[::1]:8035", "inbox.test", "Inbox.Test:80",
    ])
    func opensForItsOwnNames(_ host: String) { #expect(status(host: host) == nil) }

    @Test(arguments: [
        "evil.test", "127.0.0.1.evil.test", "127.0.0.2", "0.0.0.0", "", ":8035", "[::1", "a:b:c", "localhost.", nil,
    ])
    func isClosedByAnotherName(_ host: String?) { #expect(status(host: host) == 421) }

    @Test func hasTheAddressThatItIsBoundTo() {
        let one = Gate(host: "192.0.2.7", names: [])
        #expect(status(one, host: "192.0.2.7:80") == nil && status(one, host: "localhost") == nil)
        #expect(status(one, host: "127.0.0.1") == 421)
        let all = Gate(host: "0.0.0.0", names: [])
        #expect(status(all, host: "127.0.0.1:80") == nil && status(all, host: "192.0.2.7") == 421)
    }

    @Test(arguments: ["POST", "PATCH", "PUT", "DELETE"])
    func letsNoOtherSiteChangeAnything(_ method: String) {
        for origin in ["null", "http://evil.test", "http://127.0.0.1:8036", "http://127.0.0.1", "file://", ""] {
            #expect(status(Gate(host: "127.0.0.1", names: []), method, origin: origin) == 403, "\(origin)")
        }
        for site in ["cross-site", "same-site"] {
            #expect(status(Gate(host: "127.0.0.1", names: []), method, site: site) == 403, "\(site)")
        }
        for origin in ["http://127.0.0.1:8035", "https://127.0.0.1:8035", nil] {
            #expect(status(Gate(host: "127.0.0.1", names: []), method, origin: origin) == nil)
        }
        #expect(
            status(Gate(host: "127.0.0.1", names: []), method, origin: "http://127.0.0.1:8035", site: "same-origin")
                == nil)
        #expect(status(Gate(host: "127.0.0.1", names: []), method, site: "none") == nil)
    }

    @Test func letsAnotherSiteLinkToThePageAlone() {
        #expect(status(path: "/", site: "cross-site") == nil)
        #expect(status(path: "/v1/events", site: "cross-site") == 403)
        #expect(status(path: "/v1/events", site: "same-site") == nil)
    }
}

@Suite("The token of an inbox") struct TokenGuardTests {
    @Test func isComparedAsAWhole() throws {
        let guardian = TokenGuard(token: "secret")
        #expect(try guardian.check("secret", now: 0))
        for wrong in ["", "secre", "secrets", "Secret", "\0ecret", "secret\0"] {
            #expect(try !TokenGuard(token: "secret").check(wrong, now: 0), "\(wrong)")
        }
        #expect(!TokenGuard.isSame(Array("secretsecret".utf8), Array("secret".utf8)))
    }

    @Test func mayBeWrongOnceASecond() throws {
        let guardian = TokenGuard(token: "secret")
        for _ in 0..<TokenGuard.mostFailures { #expect(try !guardian.check("wrong", now: 100)) }
        let refused = #expect(throws: InboxProblem.self) { try guardian.check("wrong", now: 100) }
        #expect(refused?.status == 429)
        #expect(try !guardian.check("wrong", now: 101))
        #expect(throws: InboxProblem.self) { try guardian.check("wrong", now: 101) }
        for _ in 0..<TokenGuard.mostFailures { #expect(try !guardian.check("wrong", now: 1_000)) }
        #expect(throws: InboxProblem.self) { try guardian.check("wrong", now: 1_000) }
    }

    @Test func opensForWhoHasItWhileWrongOnesAreLimited() throws {
        let guardian = TokenGuard(token: "secret")
        for _ in 0..<TokenGuard.mostFailures { #expect(try !guardian.check("wrong", now: 100)) }
        for _ in 0..<50 {
            #expect(throws: InboxProblem.self) { try guardian.check("wrong", now: 100) }
            #expect(try guardian.check("secret", now: 100))
        }
        // The right one gives the wrong ones no further try.
        #expect(throws: InboxProblem.self) { try guardian.check("wrong", now: 100) }
    }

    @Test func countsNoFailuresOfAClockThatStands() throws {
        var limit = FailureLimit(most: 1)
        let may = [5, 5, 4, 6, 6].map { limit.mayFail(now: $0) }
        #expect(may == [true, false, false, true, false])
    }

    @Test func isStoodForByCookies() {
        let guardian = TokenGuard(token: "secret")
        let first = guardian.newCookie()
        #expect(first.count == 64 && guardian.knows(cookie: first) && first != guardian.newCookie())
        #expect(
            !guardian.knows(cookie: "") && !guardian.knows(cookie: "secret") && !guardian.knows(cookie: first + "0"))
        for _ in 0..<TokenGuard.mostCookies { _ = guardian.newCookie() }
        #expect(!guardian.knows(cookie: first))
    }

    @Test func hasPlacesForABoundedNumber() {
        let places = Places(most: 2)
        #expect(places.take() && places.take() && !places.take() && places.taken == 2)
        places.leave()
        #expect(places.take())
    }
}
