import PushQueue
import PushQueueRedis
import PushTerminal
import Testing

@testable import pushctl

@Suite struct QueueLocationTests {
    private func location(
        _ text: String, _ flags: QueueLocation.RedisFlags = .init(), password: String? = nil,
        sentinelPassword: String? = nil
    ) throws -> QueueLocation {
        try QueueLocation(text, flags: flags) { name in
            switch name {
            case QueueLocation.passwordVariable: password
            case QueueLocation.sentinelPasswordVariable: sentinelPassword
            default: nil
            }
        }
    }

    @Test(arguments: [
        "pushes.db", "/var/lib/pushes.db", "redis.db", "C:pushes", "./redis:host", "./host:6379", "/x/h:1",
    ])
    func whatIsNoURLIsAFile(_ path: String) throws {
        #expect(try location(path) == .file(path))
    }

    @Test func aFolderIsSaidToBeOne() throws {
        let error = try #require(throws: QueueError.self) { _ = try QueueAbsence.hasFile("/tmp") }
        #expect(CommandError(error, "/tmp").line.hasSuffix("/tmp is a folder, so it is not a queue. Name a file."))
        #expect(CommandError(error, "/tmp").status == .configuration)
        #expect(try !QueueAbsence.hasFile("/tmp/none/queue.db"))
    }

    @Test func aServerHasAUserAndAPasswordThatAreNotShown() throws {
        let flags = QueueLocation.RedisFlags(trustRoots: "ca.pem", certificate: "me.pem", key: "me.key")
        let place = try location("rediss://worker@redis.example:6380/2", flags, password: "secret")
        guard case .redis(let address, let tls) = place else {
            Issue.record("no server")
            return
        }
        #expect(address.user == "worker" && address.password == .text("secret") && address.usesTLS)
        #expect(tls == RedisTLS(rootsFile: "ca.pem", certificateFile: "me.pem", keyFile: "me.key"))
        #expect("\(place)" == "rediss://redis.example:6380/2")
    }

    @Test func aPasswordFileWinsOverTheEnvironment() throws {
        guard
            case .redis(let address, _) = try location(
                "redis://host", .init(passwordFile: "file"), password: "secret")
        else {
            Issue.record("no server")
            return
        }
        #expect(address.password == .file("file"))
    }

    @Test(arguments: [
        ("", "--queue is empty"),
        ("http://host", "has the scheme http"),
        ("redis://:secret@host", "every user of this machine can read"),
        ("redis://worker@host", "has a user but no password"),
        ("redis://host:port", "the port must be a number"),
        ("redis://host/x", "Write redis://USER@HOST:PORT/DATABASE; give the password by --queue-password-file"),
        ("rediss://worker:secret@host", "--queue has a password"),
        ("redis://host?secret", "it has a ? or #"),
        ("redis:host:6379", "has no redis://"),
        ("redis:/host", "has no redis://"),
        ("REDISS:host", "has no redis://"),
        ("redis:worker:secret@host", "has no redis://"),
        ("redis.secret.example:6379", "write ./ before its name"),
        ("secret.example:6379/0", "has no redis://"),
        ("worker:secret@host", "has no redis://"),
        ("[::1]:6379", "has no redis://"),
        ("redis+sentinel:secret@host", "has no redis://"),
        ("redis+sentinel://worker:secret@one,two/main", "--queue has a password"),
    ])
    func wrongPlacesAreUsageErrorsThatShowNoPassword(_ text: String, _ expected: String) throws {
        let error = #expect(throws: CommandError.self) { try location(text) }
        #expect(error?.status == .usage && error?.message.contains(expected) == true)
        #expect(error?.message.contains("secret") == false)
    }

    @Test func aPasswordInTheURLIsRefusedAlsoBesideAnother() {
        for url in ["redis://:secret@host", "redis://worker:secret@host"] {
            let error = #expect(throws: CommandError.self) { try location(url, password: "another") }
            #expect(error?.message.contains("--queue has a password") == true)
        }
    }

    @Test func sentinelsHaveAUserAndAPasswordOfTheirOwn() throws {
        let text = "rediss+sentinel://worker@one,two:5/main/2"
        let flags = QueueLocation.RedisFlags(sentinelUser: "watcher")
        let place = try location(text, flags, password: "secret", sentinelPassword: "other")
        guard case .redis(let address, _) = place else {
            Issue.record("no server")
            return
        }
        let nodes = [RedisNode(host: "one", port: 26_379), RedisNode(host: "two", port: 5)]
        let sentinels = RedisSentinels(nodes, primary: "main", user: "watcher", password: .text("other"))
        #expect(address.sentinels == sentinels && address.password == .text("secret") && address.database == 2)
        #expect("\(place)" == "rediss+sentinel://one:26379,two:5/main/2")
        guard case .redis(let other, _) = try location(text, .init(sentinelPasswordFile: "file"), password: "x") else {
            Issue.record("no server")
            return
        }
        #expect(other.sentinels?.password == .file("file"))
    }

    @Test(arguments: [
        ("pushes.db", QueueLocation.RedisFlags(passwordFile: "f"), "--queue-password-file goes with a queue on Redis"),
        ("pushes.db", .init(trustRoots: "f"), "--queue-trust-roots goes with a queue on Redis"),
        ("pushes.db", .init(sentinelUser: "u"), "--queue-sentinel-user goes with a queue on Redis"),
        ("redis://host", .init(trustRoots: "f"), "--queue-trust-roots goes with TLS; write rediss://."),
        ("redis://host", .init(certificate: "f"), "--queue-certificate goes with TLS; write rediss://."),
        ("redis+sentinel://host/n", .init(key: "f"), "--queue-key goes with TLS; write rediss+sentinel://."),
        ("rediss://host", .init(key: "f"), "--queue-key has no --queue-certificate"),
        ("redis://host", .init(sentinelUser: "u"), "--queue-sentinel-user goes with Sentinels"),
        ("redis://host", .init(sentinelPasswordFile: "f"), "--queue-sentinel-password-file goes with Sentinels"),
        ("redis+sentinel://host/n", .init(sentinelUser: "u"), "--queue-sentinel-user has no password"),
        ("redis+sentinel://host", .init(), "it names no primary"),
        ("redis+sentinel://one,,two/n", .init(), "it has no host"),
    ])
    func flagsThatDoNotFitAreUsageErrors(
        _ text: String, _ flags: QueueLocation.RedisFlags, _ expected: String
    ) {
        let error = #expect(throws: CommandError.self) { try location(text, flags) }
        #expect(error?.status == .usage && error?.message.contains(expected) == true, "\(error?.message ?? "")")
    }
}
