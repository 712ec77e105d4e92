import PushTransport
import Testing

@testable import SupervisedPush

@Suite struct ProxySettingTests {
    private static let apple = Endpoint(host: "api.push.apple.com", port: 443)

    private static func read(_ text: String) -> ProxyServer? { try? ProxySetting.url(text).server }

    @Test(
        "parity: R5, E18 – a proxy's URL has address, port, user name and password",
        arguments: [
            ("http://proxy.example:3128", ProxyServer.Kind.http, "proxy.example", 3_128, nil, nil),
            ("http://proxy.example", .http, "proxy.example", 80, nil, nil),
            ("proxy.example:8080", .http, "proxy.example", 8_080, nil, nil),
            ("HTTP://proxy.example:1/", .http, "proxy.example", 1, nil, nil),
            ("socks5://10.0.0.1", .socks5, "10.0.0.1", 1_080, nil, nil),
            ("socks5h://[2001:db8::1]:9050", .socks5, "2001:db8::1", 9_050, nil, nil),
            ("http://me:pw@p:3128", .http, "p", 3_128, "me", "pw"),
            ("http://me@p:3128", .http, "p", 3_128, "me", ""),
            ("http://m%40e:p%3Aw%2f%25%c3%a9@p:3128", .http, "p", 3_128, "m@e", "p:w/%é"),
            ("http://me:p:w@x@p:3128", .http, "p", 3_128, "me", "p:w@x"),
            ("socks5://me:pw@p", .socks5, "p", 1_080, "me", "pw"),
        ] as [(String, ProxyServer.Kind, String, Int, String?, String?)])
    func urlsAreRead(
        text: String, kind: ProxyServer.Kind, host: String, port: Int, user: String?, password: String?
    ) throws {
        let server = try #require(Self.read(text))
        #expect(server.kind == kind && server.endpoint == Endpoint(host: host, port: port))
        #expect(server.login?.user == user && server.login?.password == password)
    }

    @Test(arguments: [
        ("", "no host"), ("http://", "no host"), ("http://me:hunter2@", "no host"), ("ftp://p:1", "scheme"),
        ("https://me:hunter2@p:1", "TLS to the proxy"), ("http://p:0", "port"), ("http://p:65536", "port"),
        ("http://p:", "port"), ("http://p:+1", "port"), ("http://p:1/path", "path"),
        ("http://p:1?q", "a ? in a password as %3F"),
        ("http://me:hunter2?x@p:1", "%3F"), ("http://me:hunter2#x@p:1", "a # in a password as %23"),
        ("http://me:hunter2/x@p:1", "path"), ("http://::1:3128", "brackets"), ("http://[::1", "bracket"),
        ("http://[hunter2]:1", "IPv6"), ("http://[10.0.0.1]:1", "IPv6"), ("http://[::1]hunter2", "port"),
        ("http://me:hunter2%4@p:1", "hexadecimal"), ("http://me:hunter2%zz@p:1", "hexadecimal"),
        ("http://me:hunter2%ff@p:1", "UTF-8"), ("http://me:hunter2%0a@p:1", "control"), ("http://a b@p:1", "space"),
        ("http://:hunter2@p:1", "user name is empty"), ("http://m%3Ae:hunter2@p:1", "colon"),
        ("socks5://me@p:1", "1 to 255"),
        ("socks5://me:" + String(repeating: "hunter2", count: 40) + "@p:1", "1 to 255"),
        ("http://me:" + String(repeating: "hunter2", count: 200) + "@p:1", "1024"),
        ("http://me:" + String(repeating: "hunter2", count: 600) + "@p:1", "4096"),
    ]) func badURLsAreRefusedWithoutShowingThem(text: String, words: String) {
        let error = #expect(throws: ConnectError.self) { try ProxySetting.url(text) }
        #expect(error?.code == .configuration)
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test func noTextShowsAPassword() throws {
        for setting in [
            try ProxySetting.url("http://me:hunter2@p:1"), .socks5(host: "p", port: 1, user: "me", password: "hunter2"),
        ] {
            var dumped = ""
            dump(setting, to: &dumped)
            let config = PushConnection.Configuration(credential: .token(key: .pem("k"), keyID: "k", teamID: "t"))
                .with { $0.proxy = setting }
            dump(config, to: &dumped)
            for text in ["\(setting)", String(reflecting: setting), "\(config)", String(reflecting: config), dumped] {
                #expect(!text.contains("hunter2"))
            }
        }
        #expect("\(ProxySetting.none) \(ProxySetting.fromEnvironment)" == "none from the environment")
        #expect("\(try ProxySetting.url("http://me:hunter2@p:1"))" == "http://…@p:1")
    }

    @Test func aConfigurationWithABadProxyIsRefused() {
        let config = PushConnection.Configuration(credential: .token(key: .pem("k"), keyID: "k", teamID: "t"))
        for setting in [
            ProxySetting.http(host: "", port: 1), .http(host: "p", port: 0), .socks5(host: "p", port: 70_000),
            .http(host: "http://p", port: 1), .http(host: "p:1", port: 1), .http(host: "p", port: 1, user: ""),
            .http(host: "p\r\nX", port: 1), .http(host: "p", port: 1, user: "a\r\nb"),
            .socks5(host: "p", port: 1, user: "me"),
        ] {
            let error = #expect(throws: ConnectError.self) { try config.with { $0.proxy = setting }.validated() }
            #expect(error?.code == .configuration)
        }
        #expect(throws: ConnectError.self) { try config.with { $0.liveness.tunnelTimeout = .zero }.validated() }
        #expect(throws: ConnectError.self) {
            try config.with {
                $0.port = 2_197
                $0.portFallback = true
            }.validated()
        }
    }

    // MARK: The environment

    private func resolved(_ variables: [String: String], for endpoint: Endpoint = apple) throws -> String {
        try resolved(.fromEnvironment, variables, for: endpoint)
    }

    private func resolved(
        _ setting: ProxySetting, _ variables: [String: String], for endpoint: Endpoint = apple
    ) throws -> String { "\(try setting.resolved(for: endpoint) { variables[$0] })" }

    @Test("parity: E18 – the environment's proxy variables, HTTPS_PROXY before ALL_PROXY")
    func theEnvironmentNamesTheProxy() throws {
        #expect(try resolved([:]) == "none")
        #expect(try resolved(["HTTP_PROXY": "http://h:1", "http_proxy": "http://h:1"]) == "none")
        #expect(try resolved(["ALL_PROXY": "socks5://a:1"]) == "socks5://a:1")
        #expect(try resolved(["all_proxy": "a:1"]) == "http://a:1")
        #expect(try resolved(["HTTPS_PROXY": "http://h:1", "ALL_PROXY": "http://a:1"]) == "http://h:1")
        #expect(try resolved(["https_proxy": "http://h:1", "ALL_PROXY": "http://a:1"]) == "http://h:1")
        #expect(try resolved(["HTTPS_PROXY": "http://u:1", "https_proxy": "http://l:1"]) == "http://u:1")
        #expect(try resolved(["HTTPS_PROXY": "", "ALL_PROXY": "http://a:1"]) == "http://a:1")
        let error = #expect(throws: ConnectError.self) { try resolved(["https_proxy": "ftp://me:hunter2@p"]) }
        #expect(error?.description.contains("https_proxy") == true && error?.description.contains("hunter2") == false)
    }

    @Test func onlyTheEnvironmentsSettingReadsTheEnvironment() throws {
        #expect(try resolved(.none, ["HTTPS_PROXY": "http://h:1"]) == "none")
        let own = ProxySetting.http(host: "own", port: 1)
        #expect(try resolved(own, ["HTTPS_PROXY": "http://h:1", "NO_PROXY": "*"]) == "http://own:1")
    }

    @Test(
        "parity: E18 – this machine is never reached through a proxy, whatever the setting",
        arguments: [
            "localhost", "LOCALHOST", "localhost.", "api.localhost", "127.0.0.1", "127.9.9.9", "::1",
            "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "127.1", "0x7f.1", "0.0.0.0", "::",
        ])
    func loopbackIsNeverProxied(host: String) throws {
        let endpoint = Endpoint(host: host, port: 443)
        for setting in [ProxySetting.fromEnvironment, .http(host: "p", port: 1), .socks5(host: "p", port: 1)] {
            #expect(try resolved(setting, ["HTTPS_PROXY": "http://h:1"], for: endpoint) == "none")
        }
    }

    @Test func whatOnlyLooksLikeThisMachineIsProxied() throws {
        for host in ["localhost.example", "notlocalhost", "128.0.0.1", "::2", "127.example", "126.1"] {
            #expect(try resolved(["HTTPS_PROXY": "http://h:1"], for: Endpoint(host: host, port: 443)) == "http://h:1")
        }
    }

    @Test(arguments: [
        ("*", true), ("apple.com", true), (".apple.com", true), ("*.apple.com", true), ("APPLE.com.", true),
        ("api.push.apple.com", true), ("api.push.apple.com:443", true), ("apple.com:443", true),
        ("other, apple.com ,", true), ("other apple.com", true), ("", false), (",", false), ("ple.com", false),
        ("apple.com:2197", false), ("apple.com:x", false), ("x.api.push.apple.com", false), ("com.apple", false),
        (".", false), ("17.0.0.0/8", false), ("10.0.0.1", false),
    ]) func noProxyTakesNames(list: String, isDirect: Bool) throws {
        for name in ["NO_PROXY", "no_proxy"] {
            let way = try resolved(["HTTPS_PROXY": "http://h:1", name: list])
            #expect((way == "none") == isDirect)
        }
    }

    @Test(arguments: [
        ("17.188.0.0/16", true), ("17.188.128.0/17", true), ("17.188.0.0/17", false), ("0.0.0.0/0", true),
        ("17.188.143.34", true), ("17.188.143.34/32", true), ("17.188.143.34:443", true), ("17.188.143.34:80", false),
        ("17.188.143.35", false), ("143.34", false), ("17.188.143.34/33", false), ("17.188.0.0/-1", false),
        ("2620:149::/32", false), ("::ffff:17.188.143.34", true), ("17.188.143.34/", false),
    ]) func noProxyTakesAddressesAndNetworks(list: String, isDirect: Bool) throws {
        let endpoint = Endpoint(host: "17.188.143.34", port: 443)
        let way = try resolved(["HTTPS_PROXY": "http://h:1", "NO_PROXY": list], for: endpoint)
        #expect((way == "none") == isDirect)
    }

    @Test func noProxyTakesIPv6() throws {
        let endpoint = Endpoint(host: "2620:149:149:100::1", port: 443)
        for (list, isDirect) in [
            ("2620:149::/32", true), ("2620:149:149:100:0::1", true), ("[2620:149:149:100::1]", true),
            ("[2620:149:149:100::1]:443", true), ("[2620:149:149:100::1]:2197", false), ("2620:14a::/32", false),
        ] {
            let way = try resolved(["HTTPS_PROXY": "http://h:1", "NO_PROXY": list], for: endpoint)
            #expect((way == "none") == isDirect, "\(list)")
        }
    }
}
