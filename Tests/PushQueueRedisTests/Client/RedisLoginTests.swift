import Foundation
import PushQueue
import QueueTestSupport
import Testing

@testable import PushQueueRedis

@Suite struct RedisLoginTests {
    private func url(_ server: RedisServer, _ login: String) -> String {
        server.url.replacingOccurrences(of: "://", with: "://\(login)@")
    }

    @Test func aPasswordLogsIn() async throws {
        let server = try RedisServer(.init(password: "s/e cret"))
        let stage = try RedisStage(url(server, ":s%2Fe%20cret"))
        #expect(try await stage.run("PING") == .status("PONG"))
    }

    @Test func aUserOfTheAccessListLogsIn() async throws {
        let server = try RedisServer(.init(users: ["alice on >secret ~push:* +@all", "default off"]))
        let stage = try RedisStage(url(server, "alice:secret"))
        #expect(try await stage.run("ACL", "WHOAMI") == .bytes(Array("alice".utf8)))
        guard case .error(let text) = try await stage.run("GET", "other") else {
            throw RedisServer.Failed(description: "The key is not alice's.")
        }
        #expect(QueueError(redisError: text).code == .refused)
    }

    @Test(arguments: ["alice:topsecret", "nobody:topsecret", ":topsecret"])
    func aWrongPasswordIsRefusedAndNotShown(login: String) async throws {
        let server = try RedisServer(.init(password: "right", users: ["alice on >secret ~* +@all"]))
        let stage = try RedisStage(url(server, login))
        let error = await stage.failure("PING")
        #expect(error?.code == .refused)
        #expect(error?.description.contains("WRONGPASS") == true)
        #expect(error?.description.contains("topsecret") == false)
    }

    @Test func aPasswordForAServerWithoutOneIsRefused() async throws {
        let server = try RedisServer()
        let stage = try RedisStage(url(server, "alice:topsecret"))
        let error = await stage.failure("PING")
        #expect(error?.code == .refused)
        #expect(error?.description.contains("topsecret") == false)
    }

    @Test func aMissingPasswordIsRefused() async throws {
        let server = try RedisServer(.init(password: "right"))
        let error = await (try RedisStage(server.url)).failure("PING")
        #expect(error?.code == .refused)
        #expect(error?.description.contains("asks for a password") == true)
        // A URL with a password is refused by pushctl.
        #expect(error?.description.contains("--queue-password-file or PUSHCTL_QUEUE_PASSWORD") == true)
    }

    @Test func aMissingRightIsNamed() async throws {
        let server = try RedisServer(.init(users: ["alice on >secret ~* +@all -info"]))
        let error = await (try RedisStage(url(server, "alice:secret"))).failure("PING")
        #expect(error?.code == .refused)
        #expect(error?.description.contains("INFO") == true && error?.description.contains("ACL SETUSER alice") == true)
    }

    @Test func theRightToSetANameIsNotNeeded() async throws {
        let server = try RedisServer(.init(users: ["alice on >secret ~* +info +role +ping"]))
        let stage = try RedisStage(url(server, "alice:secret"))
        #expect(try await stage.run("PING") == .status("PONG"))
    }

    @Test func aMissingDatabaseIsNamed() async throws {
        let server = try RedisServer()
        let error = await (try RedisStage(server.url + "/900")).failure("PING")
        #expect(error?.code == .refused)
        #expect(error?.description.contains("database 900") == true)
    }

    @Test func anotherPasswordInTheFileIsTriedAtTheNextConnection() async throws {
        let server = try RedisServer(.init(password: "right"))
        let file = server.folder.appending(path: "password")
        try Data("wrong".utf8).write(to: file)
        var configuration = RedisConnection.Configuration(
            try RedisServerAddress(url: server.url, passwordFile: file.path))
        configuration.timeLimit = .seconds(20)
        let redis = try RedisConnection(configuration)
        await #expect(throws: QueueError.self) { try await redis.execute([RedisCommand("PING")]) }
        try Data("right\n".utf8).write(to: file)
        while true {
            // Refused at once until the next connection has been tried.
            if let replies = try? await redis.execute([RedisCommand("PING")]) {
                #expect(replies == [.status("PONG")])
                return
            }
        }
    }

    @Test func aServerWithoutAConnectionLeftIsToldApart() async throws {
        let server = try RedisServer(.init(more: ["--maxclients", "1"]))
        let first = try RedisStage(server.url)
        #expect(try await first.run("PING") == .status("PONG"))
        let error = await (try RedisStage(server.url) { $0.timeLimit = .seconds(1) }).cause("PING")
        #expect(error?.code == .unreachable)
        #expect(error?.description.contains("maxclients") == true)
    }
}
