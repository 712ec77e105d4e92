import PushQueue
import PushQueueRedis
import PushTerminal
import Testing

@testable import pushctl

@Suite struct QueueLocationTests {
    private func location(
        _ text: String, passwordFile: String? = nil, trustRoots: String? = nil, password: String? = nil
    ) throws -> QueueLocation {
        try QueueLocation(text, passwordFile: passwordFile, trustRoots: trustRoots) { name in
            name == QueueLocation.passwordVariable ? password : nil
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
        let place = try location("rediss://worker@redis.example:6380/2", trustRoots: "ca.pem", password: "secret")
        guard case .redis(let address, let roots) = place else {
            Issue.record("no server")
            return
        }
        #expect(address.user == "worker" && address.password == .text("secret") && address.usesTLS)
        #expect(roots == "ca.pem" && "\(place)" == "rediss://redis.example:6380/2")
    }

    @Test func aPasswordFileWinsOverTheEnvironment() throws {
        guard case .redis(let address, _) = try location("redis://host", passwordFile: "file", password: "secret")
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

    @Test func flagsOfAServerGoWithNoFile() throws {
        #expect(throws: CommandError.self) { try location("pushes.db", passwordFile: "file") }
        #expect(throws: CommandError.self) { try location("pushes.db", trustRoots: "file") }
        #expect(throws: CommandError.self) { try location("redis://host", trustRoots: "file") }
    }
}
