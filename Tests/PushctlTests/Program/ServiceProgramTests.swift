import Foundation
import PushQueue
import TestSupport
import Testing

extension ProgramTests {
    /// `pushctl worker` as a service: what it tells a service manager, and what a SIGHUP does.
    @Suite(.timeLimit(.minutes(5))) struct ServiceProgramTests {
        /// The settings of a connection to the simulator, as JSON, with further members.
        private func settings(_ stage: QueueStage, _ more: String = "") throws -> String {
            func setting(_ name: String) throws -> String {
                try #require(stage.stage.connection.firstIndex(of: name).map { stage.stage.connection[$0 + 1] })
            }
            return """
                {"host": "localhost", "port": \(try setting("--port")), "trust-roots": "\(try setting("--trust-roots"))",
                 "key": "\(stage.stage.key)", "team-id": "\(try setting("--team-id"))", "topic": "com.example.app"\(more)}
                """
        }

        @Test(arguments: [true, false])
        func aServiceManagerHearsHowAWorkerStands(_ isPath: Bool) async throws {
            let stage = try await QueueStage()
            let address = isPath ? stage.stage.folder + "/notify.sock" : "@pushctl-tests-\(UUID().uuidString)"
            let receiver = try NotifyReceiver(address)
            let good = try settings(stage)
            let queues = try stage.stage.file("queues.json", #"{"orders": \#(good)}"#)
            let worker = try Program(
                ["worker", "--create", "--queues", queues] + stage.queue,
                variables: ["NOTIFY_SOCKET=\(address)", "WATCHDOG_USEC=2000000"])
            await until { receiver.lines.contains("READY=1") }
            await until { receiver.lines.count { $0 == "WATCHDOG=1" } >= 3 }
            #expect(receiver.lines.contains("STATUS=working on 1 queue"))
            worker.signal(SIGHUP)
            await until {
                let lines = receiver.lines
                return lines.contains("RELOADING=1")
                    && lines.last { ["READY=1", "RELOADING=1"].contains($0) } == "READY=1"
            }
            let monotonic = receiver.lines.first { $0.hasPrefix("MONOTONIC_USEC=") }
            #expect(monotonic.flatMap { UInt64($0.dropFirst("MONOTONIC_USEC=".count)) } ?? 0 > 0)
            worker.signal(SIGTERM)
            #expect(await worker.end().status == 143)
            let lines = receiver.lines
            #expect(lines.contains("STOPPING=1") && lines.count { $0 == "READY=1" } == 2)
        }

        @Test func aWorkerWhoseQueueIsAwayAsksForTimeAndIsNotReady() async throws {
            let stage = try await QueueStage()
            let receiver = try NotifyReceiver(stage.stage.folder + "/notify.sock")
            let missing = #", "connect-timeout": 5}"#
            let settings = try settings(stage).replacingOccurrences(of: "localhost", with: Stage.nowhere)
            let queues = try stage.stage.file("queues.json", #"{"orders": \#(settings.dropLast())\#(missing)}"#)
            let worker = try Program(
                ["worker", "--create", "--queues", queues] + stage.queue,
                variables: ["NOTIFY_SOCKET=\(stage.stage.folder)/notify.sock", "WATCHDOG_USEC=2000000"])
            await until { receiver.lines.contains { $0.hasPrefix("STATUS=0 of 1 queue ready; orders: no link to ") } }
            let lines = receiver.lines
            #expect(lines.contains("EXTEND_TIMEOUT_USEC=60000000") && !lines.contains("READY=1"), "\(lines)")
            worker.signal(SIGTERM)
            #expect(await worker.end().status == 143)
        }

        /// Two queues; a HUP adds a third, takes one out, and gives the other another rate. Each push ends once.
        @Test func aHangUpReadsTheFileAgain() async throws {
            let stage = try await QueueStage()
            for name in ["orders", "news", "late"] {
                #expect(try await stage.put(400, ["--name", name]).status == 0)
            }
            let good = try settings(stage)
            let slow = try settings(stage, #", "rate": 1, "burst": 1"#)
            let queues = try stage.stage.file("queues.json", #"{"orders": \#(slow), "news": \#(good)}"#)
            let worker = try Program(["worker", "--json", "--queues", queues] + stage.queue)
            try await stage.outcomes(400, in: "news")

            // A mistake changes nothing.
            _ = try stage.stage.file("queues.json", #"{"orders": {"kay": "a"}}"#)
            worker.signal(SIGHUP)
            let mistake = await worker.line(with: "read again, and nothing is changed:")
            #expect(mistake?.contains("orders.kay is not a known name") == true, "\(mistake ?? "")")

            let fast = try settings(stage, #", "rate": 5000"#)
            _ = try stage.stage.file("queues.json", #"{"orders": \#(fast), "late": \#(good)}"#)
            worker.signal(SIGHUP)
            let line = await worker.line(with: "1 new (late), 1 changed (orders), 1 removed (news)")
            #expect(line?.contains("queues.json read again: ") == true)
            try await stage.outcomes(400, in: "late")
            try await stage.outcomes(400, in: "orders")

            // What was taken out is not worked on. A pool in place of a connection is another connection, of the same queue.
            let news = stage.store("news")
            try await until { try await news.status().workers.isEmpty }
            #expect(try await stage.put(10, ["--name", "news"]).status == 0)
            let pool = try settings(stage, #", "connections": 2"#)
            _ = try stage.stage.file("queues.json", #"{"orders": \#(fast), "late": \#(pool)}"#)
            worker.signal(SIGHUP)
            #expect(await worker.line(with: "1 changed (late), 1 as before") != nil)
            #expect(try await stage.put(50, ["--name", "late"]).status == 0)
            try await stage.outcomes(450, in: "late")

            worker.signal(SIGTERM)
            let end = await worker.end()
            #expect(end.status == 143)
            #expect(end.output.first?.hasPrefix(#"{"tokens":1250,"#) == true, "\(end.output)")
            for (name, count) in [("late", 450), ("news", 400), ("orders", 400)] {
                #expect(end.output.first?.contains(#"{"queue":"\#(name)","tokens":\#(count),"#) == true)
                #expect(try await stage.rows(in: name).count == count)
            }
            let left = try await news.status()
            #expect(left.waiting == 1 && left.workers.isEmpty)
            #expect(try await stage.requests().count == 1_250)
        }

        @Test func aHangUpEndsAWorkerWithoutAFileOfQueues() async throws {
            let stage = try await QueueStage()
            let worker = try stage.worker()
            #expect(await worker.line(with: ": worker ") != nil)
            worker.signal(SIGHUP)
            #expect(await worker.end().status == 129)
        }
    }
}
