import Testing

@testable import PushTransport

@Suite struct HTTPConnectTunnelTests {
    private static let target = Endpoint(host: "api.push.apple.com", port: 443)
    private static let place = Endpoint(host: "proxy.example", port: 3128)
    private static let login = ProxyServer.Login(user: "Aladdin", password: "open sesame")

    private static func tunnel(_ login: ProxyServer.Login? = nil, to target: Endpoint = target) -> HTTPConnectTunnel {
        HTTPConnectTunnel(to: target, through: ProxyServer(.http, at: place, login: login))
    }

    /// The error that an answer brings; nil if there is none.
    private static func failure(_ answer: String, _ login: ProxyServer.Login? = nil) -> TransportError? {
        var tunnel = tunnel(login)
        _ = tunnel.start()
        guard case .failed(let error)? = tunnel.receive(Array(answer.utf8)).outcome else { return nil }
        return error
    }

    private func text(_ step: TunnelStep) -> String { String(decoding: step.bytes, as: UTF8.self) }

    @Test("parity: E18 – CONNECT names host and port, and no credentials where there are none")
    func theRequestNamesHostAndPort() {
        var tunnel = Self.tunnel()
        #expect(
            text(tunnel.start()) == "CONNECT api.push.apple.com:443 HTTP/1.1\r\nHost: api.push.apple.com:443\r\n\r\n")
        var literal = Self.tunnel(to: Endpoint(host: "2001:db8::1", port: 2197))
        #expect(text(literal.start()).hasPrefix("CONNECT [2001:db8::1]:2197 HTTP/1.1\r\n"))
    }

    /// The example of RFC 7617, section 2, and the three paddings.
    @Test(
        "parity: E18, R5, G11 – user name and password are sent at once, as Basic",
        arguments: [
            ("Aladdin", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("a", "bc", "YTpiYw=="), ("a", "b", "YTpi"),
            ("a", "bcd", "YTpiY2Q="), ("test", "123£", "dGVzdDoxMjPCow=="), ("u", "", "dTo="),
        ])
    func credentialsAreSentAtOnce(user: String, password: String, encoded: String) {
        var tunnel = Self.tunnel(ProxyServer.Login(user: user, password: password))
        #expect(text(tunnel.start()).hasSuffix("\r\nProxy-Authorization: Basic \(encoded)\r\n\r\n"))
    }

    @Test func aHostThatIsNoNameIsNotAskedFor() {
        for host in ["", "a b", "a\r\nX: y", "bücher.example"] {
            var tunnel = Self.tunnel(to: Endpoint(host: host, port: 443))
            let step = tunnel.start()
            #expect(step.bytes.isEmpty)
            guard case .failed(let error)? = step.outcome else { Issue.record("asked for \(host)"); continue }
            #expect(error.layer == .proxy && error.code == .invalidEndpoint)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 Connection established\r\n\r\n", "HTTP/1.0 200\r\n\r\n", "HTTP/1.1 200 \n\n",
        "HTTP/1.1 299 Odd\r\nVia: a:b\r\n folded\r\nEmpty:\r\n\r\n",
        "HTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
    ]) func anAnswerInAnyPiecesBringsTheTunnelAndWhatIsBehindIt(answer: String) {
        let bytes = Array(answer.utf8) + [0, 10, 13, 255]
        for cut in 0...bytes.count {
            var tunnel = Self.tunnel()
            _ = tunnel.start()
            let first = tunnel.receive(Array(bytes[..<cut]))
            guard first.outcome == nil else {
                #expect(cut >= bytes.count - 4)
                #expect(first == TunnelStep(outcome: .up(rest: Array(bytes[(bytes.count - 4)..<cut]))))
                continue
            }
            #expect(first == .wait)
            #expect(tunnel.receive(Array(bytes[cut...])) == TunnelStep(outcome: .up(rest: [0, 10, 13, 255])))
        }
        var tunnel = Self.tunnel()
        for byte in bytes.dropLast(5) { #expect(tunnel.receive([byte]) == .wait) }
        #expect(tunnel.receive([10]) == TunnelStep(outcome: .up(rest: [])))
    }

    @Test("parity: E16 – every refusal has a code of its own and says what to do")
    func refusalsAreToldApart() {
        for (answer, code, words) in [
            (
                "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", TransportError.Code.proxyAuthentication,
                "requires a user"
            ),
            ("HTTP/1.1 403 Forbidden\r\n\r\n", .proxyForbidden, "allow connections"),
            ("HTTP/1.1 502 Bad Gateway\r\n\r\n", .proxyBadGateway, "own network and DNS"),
            ("HTTP/1.1 504 Gateway Timeout\r\n\r\n", .proxyBadGateway, "504"),
            ("HTTP/1.1 405 Method Not Allowed\r\n\r\n", .proxyRefused, "405"),
            ("HTTP/1.1 301 Moved\r\nLocation: x\r\n\r\n", .proxyRefused, "CONNECT"),
        ] {
            let error = Self.failure(answer)
            #expect(error?.layer == .proxy && error?.code == code, "\(answer)")
            #expect(error?.sentence.contains(words) == true, "\(error?.sentence ?? "no error")")
        }
    }

    @Test func refusedCredentialsAreNotShown() {
        let answer = "HTTP/1.1 407 No\r\nProxy-Authenticate: Negotiate\r\nproxy-authenticate: bAsIc realm=\"x\"\r\n\r\n"
        let error = Self.failure(answer, Self.login)
        #expect(error?.code == .proxyAuthentication)
        #expect(error?.sentence.contains("refused the user name or the password") == true)
        for secret in ["sesame", "Aladdin", "QWxh"] { #expect(error?.sentence.contains(secret) == false) }
        #expect(!"\(Self.login) \(String(reflecting: Self.login))".contains("sesame"))
        let otherStatus = Self.failure("HTTP/1.0 401 Unauthorized\r\n\r\n", Self.login)
        #expect(otherStatus?.code == .proxyAuthentication)
        #expect(Mirror(reflecting: Self.login).children.count == 1)
    }

    @Test func aProxyThatTakesNoPasswordSaysWhatItWants() {
        let answer = "HTTP/1.1 407 No\r\nProxy-Authenticate: NTLM\r\nProxy-Authenticate: Negotiate abc\r\n\r\n"
        #expect(Self.failure(answer, Self.login)?.sentence.contains("requires NTLM") == true)
    }

    @Test(arguments: [
        "S", "SSH-2.0-OpenSSH", "HTTP/2", "HTTP/1.2 200 OK\r\n", "\r\n", "\n", "HTTP/1.1 20\r\n",
        "HTTP/1.1 2000 OK\r\n",
        "HTTP/1.1 abc\r\n", "HTTP/1.1 099 x\r\n", "HTTP/1.1 200 OK\r\nno field\r\n", "HTTP/1.1 200 OK\r\n: empty\r\n",
        "HTTP/1.1 200 OK\r\na b: c\r\n", "\u{15}\u{3}",
    ]) func whatIsNotHTTPIsFoundOutAtOnce(answer: String) {
        let error = Self.failure(answer)
        #expect(error?.layer == .proxy && error?.code == .proxyMalformed)
        #expect(error?.sentence.contains("not HTTP") == true)
    }

    @Test func aHeadOverTheBoundsIsRefused() {
        let lines = String(repeating: "a: b\r\n", count: 100)
        #expect(Self.failure("HTTP/1.1 200 OK\r\n" + lines + "\r\n") == nil)
        #expect(Self.failure("HTTP/1.1 200 OK\r\n" + lines + "a: b\r\n")?.code == .proxyTooLong)
        #expect(Self.failure("HTTP/1.1 200 " + String(repeating: "x", count: 16_384))?.code == .proxyTooLong)
        // Interim answers count, too.
        let interim = String(repeating: "HTTP/1.1 100 Go on\r\n\r\n", count: 1_000)
        #expect(Self.failure(interim)?.code == .proxyTooLong)
    }
}
