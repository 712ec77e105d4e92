import Foundation
import Testing

@testable import SupervisedPush

@Suite("parity: E25 – connection settings from a configuration file") struct ConfigurationFileTests {
    private func file(_ text: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appending(path: "push.json")
        try Data(text.utf8).write(to: path)
        return path.path
    }

    private func refusal(_ text: String) throws -> ConnectError? {
        let path = try file(text)
        return #expect(throws: ConnectError.self) { try PushConnection.Configuration(contentsOf: path) }
    }

    @Test func everyNameSetsItsValue() throws {
        let path = try file(
            """
            {"environment": "development", "host": "gateway.example.com", "port": 2197,
             "key": "keys/AuthKey_ABC123DEFG.p8", "key-id": "ZYX987WVUT", "team-id": "DEF123GHIJ",
             "trust-roots": "/etc/roots.pem", "proxy": "http://proxy.example.com:3128", "topic": "com.example.app",
             "timeout": 2.5, "connect-timeout": 7, "resend-unknown": true, "retry-status": 3,
             "connections": "2...8", "max-outage": 60, "drain": 0}
            """)
        let config = try PushConnection.Configuration(contentsOf: path)
        let folder = path.dropLast("push.json".count)
        #expect(config.environment == .development && config.host == "gateway.example.com" && config.port == 2_197)
        guard case .token(let key, let keyID, let teamID, false) = config.credential.kind else {
            Issue.record("\(config.credential)")
            return
        }
        #expect(key.path == folder + "keys/AuthKey_ABC123DEFG.p8" && keyID == "ZYX987WVUT" && teamID == "DEF123GHIJ")
        #expect(config.trust.bundle?.path == "/etc/roots.pem")
        #expect("\(config.proxy)".contains("proxy.example.com"))
        #expect(config.defaults.topic == "com.example.app")
        #expect(config.timeout == .seconds(2.5) && config.liveness.connectTimeout == .seconds(7))
        #expect(config.retry.resend == .resendUnknown && config.retry.statusRetry.retries == 3)
    }

    @Test func whatIsLeftOutHasItsDefault() throws {
        let config = try PushConnection.Configuration(contentsOf: try file(#"{"certificate": "c.pem"}"#))
        let plain = PushConnection.Configuration(credential: config.credential)
        #expect(config.port == plain.port && config.timeout == plain.timeout && config.host == nil)
        #expect(
            config.environment == .production && config.retry.resend == .unprocessed
                && config.retry.statusRetry == .never)
    }

    @Test func sandboxIsDevelopment() throws {
        let config = try PushConnection.Configuration(
            contentsOf: try file(#"{"certificate": "c", "environment": "sandbox"}"#))
        #expect(config.environment == .development)
    }

    @Test func aTildeIsTheHomeFolder() throws {
        let home = try #require(ProcessInfo.processInfo.environment["HOME"])
        let file = try ConfigurationFile(contentsOf: try file(#"{"certificate": "~/c.pem", "private-key": "~c"}"#))
        #expect(file.text(.certificate) == home + "/c.pem")
        #expect(file.text(.privateKey)?.hasSuffix("/~c") == true)
    }

    @Test(arguments: [
        ("queues/pushes.db", "/queues/pushes.db"), ("/var/q.db", nil), ("redis://host/1", nil),
        ("rediss+sentinel://a,b/main", nil),
    ])
    func aQueueIsAFileBesideTheConfigurationOrAServer(place: String, end: String?) throws {
        let path = try file(#"{"queue": "\#(place)", "name": "orders", "queue-password-file": "password"}"#)
        let file = try ConfigurationFile(contentsOf: path)
        let folder = String(path.dropLast("/push.json".count))
        #expect(file.text(.queue) == end.map { folder + $0 } ?? place && file.text(.name) == "orders")
        #expect(file.given(.queue) == place && file.text(.queuePasswordFile) == folder + "/password")
    }

    @Test func theManagementPortIsNotThePortOfPushes() throws {
        let config = try PushConnection.Configuration(
            contentsOf: try file(#"{"certificate": "c", "management-port": 2196}"#))
        #expect(config.port == 443)
    }

    @Test func aProfileIsOneOfSeveralInAFile() throws {
        let path = try file(
            #"""
            {"orders": {"certificate": "c", "topic": "com.example.orders"}, "broken": {"colour": "red"}, "empty": 1}
            """#)
        let file = try ConfigurationFile(contentsOf: path, profile: "orders")
        #expect(file.text(.topic) == "com.example.orders")
        #expect(file.text(.certificate) == path.dropLast("push.json".count) + "c")
        for (profile, words) in [
            ("news", "no profile \"news\"; its profiles are broken, empty, orders"),
            ("broken", "line 1: broken.colour is not a known name"),
            ("empty", "empty must be an object"),
        ] {
            let error = #expect(throws: ConnectError.self) {
                try ConfigurationFile(contentsOf: path, profile: profile)
            }
            #expect(error?.code == .configuration && error?.description.contains(words) == true)
        }
    }

    @Test func aPasswordIsReadFromItsFile() throws {
        let path = try file(#"{"p12": "provider.p12", "password-file": "password"}"#)
        try Data("Sesam\r\nmore".utf8).write(to: URL(filePath: path.dropLast("push.json".count) + "password"))
        guard case .pkcs12(_, "Sesam") = try PushConnection.Configuration(contentsOf: path).credential.kind else {
            Issue.record("no password")
            return
        }
        let missing = try refusal(#"{"p12": "provider.p12", "password-file": "none"}"#)
        #expect(missing?.code == .credential)
        #expect(missing?.description.contains("push.json, line 1: password-file: The password in") == true)
    }

    @Test func aByteOrderMarkIsNoPartOfAFile() throws {
        let path = try file("\u{FEFF}{\"p12\": \"provider.p12\", \"password-file\": \"password\"}")
        try Data("\u{FEFF}Sesam\r\n".utf8).write(to: URL(filePath: path.dropLast("push.json".count) + "password"))
        guard case .pkcs12(_, "Sesam") = try PushConnection.Configuration(contentsOf: path).credential.kind else {
            Issue.record("no password")
            return
        }
    }

    @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian])
    func utf16IsNamed(_ encoding: String.Encoding) throws {
        let path = try file("{}")
        let text = try #require("{\"certificate\": \"c\"}".data(using: encoding))
        try text.write(to: URL(filePath: path))
        let error = #expect(throws: ConnectError.self) { try PushConnection.Configuration(contentsOf: path) }
        #expect(error?.code == .configuration)
        #expect(
            error?.description.contains("is UTF-16; convert it to UTF-8: iconv -f UTF-16") == true, "\(error as Any)")
        let password = #expect(throws: ConnectError.self) { try PasswordFile.password(path) }
        #expect(password?.description.contains("is UTF-16") == true)
        #expect(password?.description.contains("certificate") == false)
    }

    @Test(arguments: [
        ("[]", "must be a JSON object"), ("", "must be a JSON object"), ("{\"port\": 1", "must be a JSON object"),
        (#"{"port": 1,}"#, "lacks a name in quotes (line 1, column 12)"),
        (#"{"certificate": "c", "topics": "a"}"#, "line 1: topics is not a known name"),
        (#"{"certificate": "c", "port": 0}"#, "port must be a whole number from 1 to 65535"),
        (#"{"certificate": "c", "port": "443"}"#, "port must be"),
        (#"{"certificate": "c", "timeout": 0}"#, "timeout must be a number of seconds"),
        (#"{"certificate": "c", "timeout": 1e9}"#, "timeout must be"),
        (#"{"certificate": "c", "environment": "staging"}"#, "production or development"),
        (#"{"certificate": "c", "connections": "8...2"}"#, "connections must be"),
        (#"{"certificate": "c", "resend-unknown": 1}"#, "true or false"),
        (#"{"certificate": "c", "retry-status": 20}"#, "0 to 19"),
        (#"{"certificate": "c", "topic": ""}"#, "topic must be a string"),
        (#"{"certificate": "c", "priority": 3}"#, "priority must be 1 or 5 or 10"),
        (#"{"certificate": "c", "headers": {"x": 1}}"#, "headers must be an object"),
        (#"{"certificate": "c", "queue": 1}"#, "queue must be a string"),
        (#"{"certificate": "c", "queue-key": ""}"#, "queue-key must be a string"),
        (#"{"topic": "a"}"#, "one credential"), (#"{"certificate": "c", "p12": "d"}"#, "contains certificate and p12"),
        (#"{"key": "AuthKey_ABC123DEFG.p8"}"#, "team-id is missing"),
        (#"{"certificate": "c", "proxy": "ftp://a:1"}"#, "proxy: "),
        (#"{"certificate": "c", "collapse-id": " a"}"#, "collapse-id: "),
        ("{\"certificate\": \"c\",\n\n \"timeout\":\n 0}", "line 4: timeout must be"),
        ("{\"certificate\": \"c\",\n\"headers\": {\"a b\": \"c\"}}", "line 2: headers: "),
        ("{\n\"port\" 1}", "lacks a colon after a name (line 2, column 8)"),
    ])
    func whatIsWrongIsNamed(text: String, words: String) throws {
        let error = try refusal(text)
        #expect(error?.code == .configuration && error?.description.contains(words) == true, "\(error as Any)")
        #expect(error?.description.contains("push.json") == true)
    }

    @Test func backoffDefaultsAndHeadersAreRead() throws {
        let config = try PushConnection.Configuration(
            contentsOf: try file(
                """
                {"certificate": "c.pem", "backoff-ceiling": 20, "push-type": "background", "priority": 5, "expiration": 0,
                 "collapse-id": "score", "headers": {"x-tenant": "one", "x-gateway": "g"}}
                """))
        #expect(config.retry.backoffCeiling == .seconds(20))
        #expect(config.defaults.pushType == .background && config.defaults.priority == .conserving)
        #expect(config.defaults.expiration == .immediately && config.defaults.collapseID?.text == "score")
        #expect(config.defaults.headers == ["x-gateway": "g", "x-tenant": "one"])
    }

    @Test func aFileNamesConnectionsThatShareWhatStandsOutside() throws {
        let path = try file(
            """
            {"key": "AuthKey_ABC123DEFG.p8", "team-id": "DEF123GHIJ", "timeout": 5,
             "named": {"orders": {"topic": "com.example.orders"},
                       "news": {"topic": "com.example.news", "certificate": "news.pem", "timeout": 7}}}
            """)
        let configs = try PushConnection.Configuration.named(contentsOf: path)
        #expect(Set(configs.keys) == ["orders", "news"])
        #expect(configs["orders"]?.defaults.topic == "com.example.orders" && configs["orders"]?.timeout == .seconds(5))
        guard case .token(_, nil, "DEF123GHIJ", false)? = configs["orders"]?.credential.kind,
            case .certificate? = configs["news"]?.credential.kind
        else {
            Issue.record("\(configs)")
            return
        }
        #expect(configs["news"]?.defaults.topic == "com.example.news" && configs["news"]?.timeout == .seconds(7))
    }

    @Test func aConnectionMayHaveAPasswordOfItsOwnForTheFilesCredential() throws {
        let path = try file(
            #"{"p12": "provider.p12", "named": {"orders": {"password-file": "password", "topic": "a"}}}"#)
        try Data("secret\n".utf8).write(to: URL(filePath: path.dropLast("push.json".count) + "password"))
        guard
            case .pkcs12(_, "secret")? = try PushConnection.Configuration.named(contentsOf: path)["orders"]?.credential
                .kind
        else {
            Issue.record("the file's credential with the connection's password")
            return
        }
    }

    @Test(arguments: [
        (#"{"certificate": "c"}"#, "names no connections"),
        (#"{"certificate": "c", "named": []}"#, "must be an object"),
        (#"{"certificate": "c", "named": {"orders": 1}}"#, "\"orders\" must have"),
        (#"{"certificate": "c", "named": {"orders": {"port": 0}}}"#, "named.orders.port must be"),
        (#"{"named": {"orders": {"topic": "a"}}}"#, "line 1: named.orders must contain one credential"),
        (
            "{\"p12\": \"c\", \"named\": {\n\"news\": {},\n\"orders\": {\n\"port\": 0}}}",
            "line 4: named.orders.port must be"
        ),
        (
            "{\"certificate\": \"c\",\n\"headers\": {\"a b\": \"c\"},\n\"named\": {\"orders\": {\"topic\": \"a\"}}}",
            "line 2: headers: "
        ),
    ])
    func whatIsWrongWithNamedConnectionsIsSaid(text: String, words: String) throws {
        let path = try file(text)
        let error = #expect(throws: ConnectError.self) { try PushConnection.Configuration.named(contentsOf: path) }
        #expect(error?.description.contains(words) == true, "\(error as Any)")
    }

    @Test func aFileThatIsNotThereIsNamed() {
        let error = #expect(throws: ConnectError.self) {
            try PushConnection.Configuration(contentsOf: "/nowhere/push.json")
        }
        #expect(error?.code == .configuration && error?.description.contains("/nowhere/push.json") == true)
    }

    @Test func aProxysPasswordIsNotShown() throws {
        let error = try refusal(#"{"certificate": "c", "proxy": "ftp://me:hunter2@proxy:1"}"#)
        #expect(error?.description.contains("hunter2") == false)
    }
}
