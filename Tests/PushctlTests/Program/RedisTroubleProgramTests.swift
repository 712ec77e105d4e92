import Foundation
import PushQueue
import PushQueueRedis
import QueueTestSupport
import Testing

extension ProgramTests {
    /// `pushctl worker` while an operator takes its rights, or its queue.
    @Suite(.timeLimit(.minutes(3))) struct RedisTroubleProgramTests {
        /// A client of the server's default user.
        private func operate(_ server: RedisServer, _ words: String...) async throws {
            let redis = try RedisConnection(.init(url: server.url))
            _ = try await redis.execute([RedisCommand(words: words.map { Array($0.utf8) })])
        }

        /// Returns once a worker has opened the queue: then it says what an operator should know of this server, which keeps
        /// no log.
        private func waitUntilOpen(_ worker: Program) async throws {
            _ = try #require(await worker.line(with: "pushctl: queue: The Redis server "))
        }

        @Test func aUserThatIsTurnedOffIsToldAndEndsTheWorkerAfterTheOutage() async throws {
            let stage = try await Stage()
            let server = try RedisServer(.init(users: ["worker on >sesame ~* &* +@all"]))
            let worker = try Program(
                ["worker", "--queue", "redis://worker@127.0.0.1:\(server.port)", "--max-outage", "10"]
                    + stage.connection, variables: ["PUSHCTL_QUEUE_PASSWORD=sesame"])
            try await waitUntilOpen(worker)
            try await operate(server, "ACL", "SETUSER", "worker", "off")
            try await operate(server, "CLIENT", "KILL", "USER", "worker")
            let line = try #require(await worker.line(with: "push: the queue refuses this worker: "))
            #expect(line.contains("refused the login") && line.contains("pushctl doctor --queue"))
            let end = await worker.end()
            #expect(end.status == 69, "\(end.errors)")
            #expect(end.errors.contains { $0.contains("acknowledged no heartbeat for 10 s: ") }, "\(end.errors)")
            #expect(!end.errors.contains { $0.contains("answers again") || $0.contains("sesame") }, "\(end.errors)")
            #expect(end.errors.filter { $0.contains("refuses this worker") }.count == 1)
        }

        @Test func aUserThatIsTurnedOnAgainIsTold() async throws {
            let stage = try await Stage()
            let server = try RedisServer(.init(users: ["worker on >sesame ~* &* +@all"]))
            let worker = try Program(
                ["worker", "--queue", "redis://worker@127.0.0.1:\(server.port)"] + stage.connection,
                variables: ["PUSHCTL_QUEUE_PASSWORD=sesame"])
            try await waitUntilOpen(worker)
            try await operate(server, "ACL", "SETUSER", "worker", "off")
            try await operate(server, "CLIENT", "KILL", "USER", "worker")
            _ = try #require(await worker.line(with: "push: the queue refuses this worker: "))
            try await operate(server, "ACL", "SETUSER", "worker", "on")
            _ = try #require(await worker.line(with: "push: the queue answers again, after "))
            worker.signal(SIGTERM)
            #expect(await worker.end().status == 143)
        }

        @Test func aLostQueueIsTold() async throws {
            let stage = try await Stage()
            let server = try RedisServer()
            let worker = try Program(["worker"] + server.queue + stage.connection)
            try await waitUntilOpen(worker)
            try await operate(server, "FLUSHALL")
            let line = try #require(await worker.line(with: "push: the queue was lost: "))
            #expect(line.contains("FLUSHALL"))
            worker.signal(SIGTERM)
            #expect(await worker.end().status == 143)
        }
    }
}
