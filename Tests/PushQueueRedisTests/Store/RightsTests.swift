import PushQueue
import QueueTestSupport
import Testing

@testable import PushQueueRedis

/// What the user of a worker's connection may do.
@Suite struct RedisRightsTests {
    private func queue(_ server: RedisServer) throws -> RedisQueue {
        try RedisQueue("rights", connection: .patient("redis://worker:secret@127.0.0.1:\(server.port)"))
    }

    /// A server whose user has all rights besides these.
    private func server(without rights: String) throws -> RedisServer {
        var options = RedisServer.Options()
        options.users = ["worker on >secret ~push:* +@all \(rights)"]
        return try RedisServer(options)
    }

    /// A settle would delete the entry, and lose its outcomes.
    @Test(arguments: [("-xack", "xack"), ("-zadd -xgroup|delconsumer -time", "time, xgroup, zadd")])
    func aWorkerWithoutARightOfItsScriptsIsRefused(rights: String, names: String) async throws {
        let server = try server(without: rights)
        let caught = await #expect(throws: QueueError.self) { try await queue(server).open(as: .ann) }
        #expect(caught?.code == .refused)
        #expect(caught?.description.contains("needs: \(names).") == true, "\(caught?.description ?? "")")
        let words = names.split(separator: ", ").map { "+\($0)" }.joined(separator: " ")
        #expect(caught?.description.contains("ACL SETUSER with its name and \(words).") == true)
    }

    @Test func aProducerNeedsNoRightsOfWorkers() async throws {
        let server = try server(without: "-xack -xclaim -xreadgroup")
        try await queue(server).enqueue([.sample()])
        #expect(try await server.connect()("XLEN", "push:{rights}") == .integer(1))
    }

    @Test func aRightThatIsTakenAwayLaterIsARefusal() async throws {
        let server = try server(without: "")
        let queue = try queue(server)
        try await queue.open(as: .ann)
        try await server.connect()("ACL", "SETUSER", "worker", "-xpending")
        let caught = await #expect(throws: QueueError.self) { try await queue.beat(as: .ann) }
        #expect(caught?.code == .refused)
    }

    @Test func theRightsAreThoseOfTheScripts() {
        let calls = StoreScript.ofWorkers.flatMap {
            $0.script.source.matches(of: #/redis\.p?call\(\s*'([A-Z]+)'(, '(GROUPS|STREAM|CREATE|DELCONSUMER)')?/#)
        }
        let commands = Set(calls.map { call in call.3.map { "\(call.1) \($0)" } ?? "\(call.1)" })
        let listed = StoreScript.commandsOfWorkers.map { command in
            command.split(separator: " ").prefix { !["KEY", "GROUP"].contains($0) }.joined(separator: " ")
        }
        #expect(commands == Set(listed))
        #expect(listed.count == Set(listed).count)
    }
}
