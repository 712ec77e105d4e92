import Foundation
import PushQueue
import TestSupport
import Testing

extension ProgramTests {
    /// `pushctl queue pause`, `resume` and `rate`, with a worker that runs.
    @Suite("parity: F23 – a queue that is paused and paced", .timeLimit(.minutes(3))) struct SteeringProgramTests {
        @Test func aRunningWorkerPausesAndGoesOn() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(40).status == 0)
            let pause = try await Stage.run(["queue", "pause", "--json"] + stage.queue)
            #expect(pause.status == 0 && pause.output == [#"{"paused":true,"rate":null,"burst":null}"#])
            let worker = try stage.worker()
            #expect(await worker.line(with: "the queue is paused") != nil)
            let status = try await Stage.run(["queue", "status", "--json"] + stage.queue)
            #expect(status.output.first?.hasPrefix(#"{"waiting":1,"delayed":0,"taken":0,"#) == true)
            #expect(status.output.first?.contains(#""paused":true"#) == true)
            let text = try await Stage.run(["queue", "status"] + stage.queue)
            #expect(text.output.contains("the queue is paused"))
            let resume = try await Stage.run(["queue", "resume"] + stage.queue)
            #expect(resume.status == 0 && resume.output == ["running"])
            try await stage.outcomes(40)
            worker.signal(SIGTERM)
            let end = await worker.end()
            #expect(end.output.first?.hasPrefix(#"{"tokens":40,"delivered":40,"#) == true)
        }

        @Test func theVariableNamesTheQueueForCommandsWithoutTheFlag() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(3).status == 0)
            let variable = "PUSHCTL_QUEUE=\(stage.path)"
            #expect(try await Stage.run(["queue", "pause"], [variable]).output == ["paused"])
            let other = try await Stage.run(["queue", "status", "--queue", stage.path + ".other"], [variable])
            #expect(other.status != 0, "the flag counts")
            let none = try await Stage.run(["queue", "status"])
            #expect(none.status == 64 && none.errors.contains { $0.contains("or set PUSHCTL_QUEUE") })
        }

        @Test func aRateIsSetShownAndRemoved() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(1).status == 0)
            let set = try await Stage.run(["queue", "rate", "500/s", "--burst", "20"] + stage.queue)
            #expect(set.output == ["running, at most 500 pushes a second, 20 at once"])
            let status = try await Stage.run(["queue", "status", "--json"] + stage.queue)
            #expect(status.output.first?.contains(#""paused":false,"rate":500.000,"burst":20"#) == true)
            #expect(try await Stage.run(["queue", "rate", "off"] + stage.queue).output == ["running"])
        }

        @Test(arguments: [["fast"], ["0/s"], ["off", "--burst", "3"], ["5", "--burst", "0"]])
        func aRateThatIsNoneIsRefused(_ words: [String]) async throws {
            let stage = try await QueueStage()
            #expect(try await Stage.run(["queue", "rate"] + words + stage.queue).status == 64)
        }
    }
}
