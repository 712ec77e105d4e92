import Testing

@testable import PushTransport

@Suite struct SOCKS5TunnelTests {
    private static let place = Endpoint(host: "proxy.example", port: 1080)
    private static let login = ProxyServer.Login(user: "me", password: "pw!")

    private static func tunnel(
        to target: Endpoint = Endpoint(host: "a.b", port: 443), _ login: ProxyServer.Login? = nil
    ) -> SOCKS5Tunnel { SOCKS5Tunnel(to: target, through: ProxyServer(.socks5, at: place, login: login)) }

    private static func failure(_ answer: [UInt8], _ login: ProxyServer.Login? = nil) -> TransportError? {
        var tunnel = tunnel(login)
        _ = tunnel.start()
        guard case .failed(let error)? = tunnel.receive(answer).outcome else { return nil }
        return error
    }

    private static func tunnel(_ login: ProxyServer.Login?) -> SOCKS5Tunnel {
        tunnel(to: Endpoint(host: "a.b", port: 443), login)
    }

    private static let ask: [UInt8] = [5, 1, 0, 3, 3, 0x61, 0x2E, 0x62, 1, 0xBB]
    private static let granted: [UInt8] = [5, 0, 0, 1, 10, 0, 0, 1, 4, 56]

    @Test("parity: E18 – SOCKS5 without a login: the proxy gets the name, and resolves it")
    func withoutALoginTheNameIsAskedFor() {
        var tunnel = Self.tunnel()
        #expect(tunnel.start() == .say([5, 1, 0]))
        #expect(tunnel.receive([5, 0]) == .say(Self.ask))
        #expect(tunnel.receive(Self.granted + [7, 8]) == TunnelStep(outcome: .up(rest: [7, 8])))
    }

    @Test("parity: E18, R5 – SOCKS5 with user name and password (RFC 1929)")
    func withALoginItIsShownWhereItIsAskedFor() {
        var tunnel = Self.tunnel(Self.login)
        #expect(tunnel.start() == .say([5, 2, 0, 2]))
        #expect(tunnel.receive([5, 2]) == .say([1, 2, 0x6D, 0x65, 3, 0x70, 0x77, 0x21]))
        #expect(tunnel.receive([1, 0]) == .say(Self.ask))
        #expect(tunnel.receive(Self.granted) == TunnelStep(outcome: .up(rest: [])))
        var open = Self.tunnel(Self.login)
        _ = open.start()
        #expect(open.receive([5, 0]) == .say(Self.ask))
    }

    @Test func addressesAreAskedForAsSuch() {
        for (host, bytes): (String, [UInt8]) in [
            ("192.0.2.7", [1, 192, 0, 2, 7]),
            ("2001:db8::9", [4, 0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9]),
        ] {
            var tunnel = Self.tunnel(to: Endpoint(host: host, port: 2_197))
            _ = tunnel.start()
            #expect(tunnel.receive([5, 0]) == .say([5, 1, 0] + bytes + [0x08, 0x95]))
        }
    }

    @Test func anAnswerInAnyPiecesAndWithAnyAddressBringsTheTunnel() {
        let ends: [[UInt8]] = [
            Self.granted, [5, 0, 0, 3, 2, 0x61, 0x62, 0, 80], [5, 0, 0, 3, 0, 0, 80],
            [5, 0, 0, 4] + [UInt8](repeating: 1, count: 18),
        ]
        for end in ends {
            let answer = [5, 2, 1, 0] + end + [9, 9]
            for cut in 0...answer.count {
                var tunnel = Self.tunnel(Self.login)
                _ = tunnel.start()
                let first = tunnel.receive(Array(answer[..<cut]))
                let second = first.outcome == nil ? tunnel.receive(Array(answer[cut...])) : .wait
                #expect((first.bytes + second.bytes).count == 8 + Self.ask.count)
                guard case .up(let rest)? = first.outcome ?? second.outcome else {
                    Issue.record("no tunnel"); continue
                }
                #expect(rest == (first.outcome == nil ? [9, 9] : Array(answer[(answer.count - 2)..<cut])))
            }
            var tunnel = Self.tunnel(Self.login)
            for byte in answer.dropLast(3) { #expect(tunnel.receive([byte]).outcome == nil) }
            #expect(tunnel.receive([end[end.count - 1]]).outcome == .up(rest: []))
        }
    }

    @Test("parity: E16 – every reply of SOCKS has its name")
    func repliesAreTold() {
        let codes: [TransportError.Code] = [
            .socksFailure, .socksNotAllowed, .socksNetworkUnreachable, .socksHostUnreachable, .socksConnectionRefused,
            .socksTTLExpired, .socksCommandNotSupported, .socksAddressNotSupported, .proxyRefused,
        ]
        for (index, code) in codes.enumerated() {
            // Two bytes are enough: some proxies close right behind them.
            let error = Self.failure([5, 0, 5, UInt8(index + 1)])
            #expect(error?.layer == .proxy && error?.code == code)
            #expect(error?.sentence.contains("did not connect to a.b:443") == true)
        }
        #expect(Set(codes).count == 9)
    }

    @Test func aRefusedLoginIsNotShown() {
        for error in [Self.failure([5, 2, 1, 1], Self.login), Self.failure([5, 0xFF], Self.login)] {
            #expect(error?.code == .proxyAuthentication)
            #expect(error?.sentence.contains("pw!") == false)
        }
        #expect(Self.failure([5, 0xFF])?.sentence.contains("requires a user name and a password") == true)
    }

    @Test(arguments: [[4, 0], [5, 2], [5, 1], [0x48, 0x54], [5, 0, 4, 0], [5, 0, 5, 0, 0, 9, 0]] as [[UInt8]])
    func whatIsNotSOCKSIsFoundOutAtOnce(answer: [UInt8]) {
        let error = Self.failure(answer)
        #expect(error?.code == .proxyMalformed)
        #expect(error?.sentence.contains("HTTP") == (answer[0] == 0x48))
    }

    @Test func whatCannotBeAskedForIsSaidBeforeAByte() {
        let long = String(repeating: "x", count: 256)
        let tunnels = [
            Self.tunnel(to: Endpoint(host: long, port: 1)), Self.tunnel(to: Endpoint(host: "", port: 1)),
            Self.tunnel(ProxyServer.Login(user: long, password: "p")),
            Self.tunnel(ProxyServer.Login(user: "u", password: long)),
            Self.tunnel(ProxyServer.Login(user: "u", password: "")),
        ]
        for var tunnel in tunnels {
            let step = tunnel.start()
            #expect(step.bytes.isEmpty)
            guard case .failed(let error)? = step.outcome else { Issue.record("asked"); continue }
            #expect(error.layer == .proxy && error.code == .invalidEndpoint)
        }
    }
}
