import PushQueue
import Testing

@testable import PushQueueRedis

@Suite struct RedisErrorCodeTests {
    @Test(arguments: [
        ("LOADING Redis is loading the dataset in memory", QueueError.Code.unreachable),
        ("MASTERDOWN Link with MASTER is down", .unreachable), ("READONLY You can't write", .unreachable),
        ("BUSY Redis is busy running a script", .unreachable), ("TRYAGAIN Multiple keys request", .unreachable),
        ("CLUSTERDOWN The cluster is down", .unreachable),
        ("NOREPLICAS Not enough good replicas to write.", .unreachable), ("OOM command not allowed", .full),
        ("NOAUTH Authentication required.", .refused), ("WRONGPASS invalid username-password pair", .refused),
        ("NOPERM this user has no permissions", .refused), ("DENIED Redis is running in protected mode", .refused),
        ("ERR The user executing the script can't run this command or subcommand script: 30, on @user", .refused),
        ("ERR The user executing the script can't access at least one of the keys", .refused),
        ("MOVED 3999 127.0.0.1:6381", .refused), ("CROSSSLOT Keys in request", .refused),
        ("MISCONF Redis is configured to save RDB snapshots", .unreachable), ("NOGROUP No such key", .lost),
        ("ERR unknown command 'X'", .failed), ("", .failed),
    ])
    func anErrorOfTheServerHasACode(text: String, code: QueueError.Code) {
        let error = QueueError(redisError: text, of: "redis://h:1")
        #expect(error.code == code)
        #expect(error.description.hasPrefix("redis://h:1 "))
    }

    @Test(arguments: [
        ("MOVED 3999 127.0.0.1:6381", ": 127.0.0.1:6381."), ("ASK 1 node-2.example:6379", ": node-2.example:6379."),
        ("MOVED 1 ::1:6379", ": ::1:6379."), ("MOVED 3999 :6381", "has it."), ("MOVED 1 user:pw@host:1", "has it."),
        ("MOVED 1 h:99999", "has it."), ("CROSSSLOT Keys in request", "has it."),
    ])
    func aNodeOfAClusterNamesTheOneThatHasTheQueue(text: String, end: String) {
        #expect(QueueError(redisError: text).description.hasSuffix(end))
    }

    @Test func noTextOfAReplyIsShown() {
        let error = QueueError(redisError: "ERR unknown command 'SET', with args beginning with: 'token' 'payload'")
        #expect(!error.description.contains("token") && !error.description.contains("payload"))
    }

    @Test func aGreetingLogsInAndAsks() {
        let address = RedisServerAddress(host: "h", database: 2, user: "alice", password: .text("secret"))
        let greeting = RedisGreeting(RedisConnection.Configuration(address))
        #expect(
            greeting.commands(password: [1]) == [
                RedisCommand(words: [Array("AUTH".utf8), Array("alice".utf8), [1]]),
                RedisCommand("CLIENT", "SETNAME", "supervised-push"), RedisCommand("SELECT", "2"),
                RedisCommand("INFO", "server", "replication"), RedisCommand("ROLE"), RedisCommand("PING"),
            ])
    }

    @Test func valkeyIsToldByItsOwnNameAndVersion() {
        var configuration = RedisConnection.Configuration(RedisServerAddress(host: "h"))
        configuration.clientName = nil
        let info = "# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1\r\nrun_id:x\r\n"
        let role = RedisReply.array([.bytes(Array("slave".utf8)), .bytes(Array("p".utf8)), .integer(6_380), .null])
        let session = RedisGreeting(configuration).session(
            [.bytes(Array(info.utf8)), role, .status("PONG")], after: nil)
        #expect(
            session
                == RedisServerSession(
                    number: 1, server: "valkey", version: "8.0.1", runID: "x", role: .replica(of: "p:6380"),
                    address: "redis://h:6379"))
    }

    @Test func aSentinelIsRefusedByItsName() {
        let greeting = RedisGreeting(RedisConnection.Configuration(RedisServerAddress(host: "h")))
        for (names, url) in [
            (["main"], "redis+sentinel://h:6379/main,"), ([], "redis+sentinel://h:6379/NAME,"),
            (["one", "two"], "/NAME, best with all of the Sentinels. It watches one, two."),
        ] {
            let list = RedisReply.array(names.map { .bytes(Array($0.utf8)) })
            let role = RedisReply.array([.bytes(Array("sentinel".utf8)), list])
            let refusal = greeting.refusal(in: [.status("OK"), .null, role])
            #expect(refusal?.code == .refused && refusal?.description.contains("is a Sentinel") == true)
            #expect(refusal?.description.contains(url) == true)
        }
    }

    @Test func whatAServerDoesNotSayIsEmpty() {
        let greeting = RedisGreeting(RedisConnection.Configuration(RedisServerAddress(host: "h")))
        let session = greeting.session([.status("OK"), .null, .integer(1), .null], after: nil)
        #expect(session.runID.isEmpty && session.version.isEmpty && session.role == .other("unknown"))
    }
}
