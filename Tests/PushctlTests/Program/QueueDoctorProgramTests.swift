import Foundation
import PushQueue
import Testing

extension ProgramTests {
    /// `pushctl doctor --queue` with a file.
    @Suite(.timeLimit(.minutes(3))) struct QueueDoctorProgramTests {
        @Test func aHealthyFileIsWell() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(10).status == 0)
            _ = try await stage.store().beat(as: WorkerID("test"))
            let end = try await Stage.run(["doctor"] + stage.queue)
            #expect(end.status == 0 && end.output.last == "All is well: the queue can be used.", "\(end.output)")
            let layers = end.output.compactMap { $0.split(separator: " ").first }.prefix(9)
            #expect(
                layers == [
                    "file", "integrity", "durability", "disk", "queue", "backlog", "outcomes", "dead", "workers",
                ])
        }

        @Test func aMissingFileIsAFailure() async throws {
            let stage = try await QueueStage()
            let end = try await Stage.run(["doctor", "--json"] + stage.queue)
            #expect(end.status == 66 && end.output.count == 10)
            #expect(end.output.first?.hasPrefix(#"{"layer":"file","verdict":"fail","milliseconds":null,"#) == true)
            #expect(end.output.last?.hasSuffix(#""first_failure":"file","exit_status":66}"#) == true)
            #expect(!FileManager.default.fileExists(atPath: stage.path))
        }

        @Test func aNameThatIsNotThereIsAWarningAndIsNotMade() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(10).status == 0)
            let end = try await Stage.run(["doctor", "--name", "other", "--json"] + stage.queue)
            #expect(end.status == 0 && end.output.last?.contains("there is no queue other yet; there is push") == true)
            #expect(try await Stage.run(["queue", "status", "--name", "other"] + stage.queue).status == 66)
        }

        @Test func whatIsNoQueueIsRefused() async throws {
            let stage = try await QueueStage()
            let foreign = try stage.stage.file("foreign.db", "This is not a database, but a text.\n")
            let end = try await Stage.run(["doctor", "--queue", foreign])
            #expect(end.status == 78 && end.output.contains { $0.contains("is not a queue") }, "\(end.output)")
        }
    }
}
