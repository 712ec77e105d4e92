import Foundation
import PushQueue
import SupervisedPush
import TestSupport
import Testing

extension ProgramTests {
    /// `pushctl worker`, with a queue in a file.
    @Suite(.timeLimit(.minutes(5))) struct WorkerProgramTests {
        /// How often a worker is killed in one test. More make it longer: each costs up to 12 s.
        private static let kills =
            ProcessInfo.processInfo.environment["PUSHCTL_TEST_KILLS"].flatMap { Int($0) } ?? 3

        @Test func eachTokenHasARowAndAPush() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(3_000).status == 0)
            let worker = try stage.worker()
            try await stage.outcomes(3_000)
            worker.signal(SIGTERM)
            let end = await worker.end()
            #expect(end.status == 143 && end.output.first?.hasPrefix(#"{"tokens":3000,"delivered":3000,"#) == true)
            #expect(end.errors.last?.hasSuffix("Nothing is left in doubt.") == true)
            let (rows, requests) = (try await stage.rows(), try await stage.requests())
            #expect(rows.count == 3_000 && Set(rows.map(\.token.hex)) == QueueStage.tokens(3_000))
            #expect(requests.count == 3_000 && Set(requests.map(\.token)) == QueueStage.tokens(3_000))
            #expect(Set(rows.map { $0.apnsID?.description ?? "" }) == Set(requests.map(\.apnsID)))
        }

        @Test func whoWaitsGetsTheRowsOfBulk() async throws {
            let stage = try await QueueStage()
            let worker = try stage.worker()
            let input = try stage.stage.file("input.csv", Stage.tokens(0..<300) + "zz\n")
            let outcomes = stage.stage.folder + "/outcomes.csv"
            let end = try await Stage.run(
                ["queue", "put", input, "--title", "Hello", "--wait", "--outcomes", outcomes, "--json"] + stage.queue)
            #expect(end.status == 1)
            #expect(end.output.first?.contains(#""delivered":300,"rejected":0,"failed":1,"unknown":0"#) == true)
            let rows = try String(contentsOfFile: outcomes, encoding: .utf8).split(separator: "\n")
            #expect(rows.first == "line,token,outcome,status,reason,apns_id,timestamp,attempts,certainty")
            #expect(Set(rows.dropFirst().compactMap { Int($0.prefix { $0 != "," }) }) == Set(2...302))
            #expect(rows.contains { $0.hasPrefix("2,\(String(repeating: "0", count: 63))1,delivered,200,,") })
            worker.signal(SIGTERM)
            _ = await worker.end()
        }

        @Test func aSignalLeavesNothingTaken() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(6_000).status == 0)
            var status = QueueStatus()
            for _ in 0..<3 where status.outcomes < 6_000 {
                let worker = try stage.worker()
                try await stage.outcomes(min(6_000, status.outcomes + 200))
                worker.signal(SIGTERM)
                let end = await worker.end()
                #expect(end.status == 143 && end.errors.last?.hasSuffix("Nothing is left in doubt.") == true)
                status = try await stage.store().status()
                #expect(status.taken == 0)
            }
            let worker = try stage.worker()
            try await stage.outcomes(6_000)
            worker.signal(SIGTERM)
            _ = await worker.end()
            let requests = try await stage.requests()
            #expect(requests.count == 6_000 && Set(requests.map(\.token)) == QueueStage.tokens(6_000))
        }

        @Test func killedWorkersLoseNothingAndRepeatOnlyWhatWasInDoubt() async throws {
            let count = 2_000 * (Self.kills + 1)
            let stage = try await QueueStage()
            #expect(try await stage.put(count).status == 0)
            var recorded: [Set<String>] = []
            for _ in 0..<Self.kills {
                let worker = try stage.worker()
                let known = try await stage.store().status().outcomes
                try await stage.outcomes(min(count - 1, known + Int.random(in: 1...1_200)))
                worker.signal(SIGKILL)
                #expect(await worker.end().status == -SIGKILL)
                recorded.append(Set(try await stage.rows().map(\.token.hex)))
            }
            let worker = try stage.worker()
            try await stage.outcomes(count)
            worker.signal(SIGTERM)
            #expect(await worker.end().status == 143)

            let rows = try await stage.rows()
            #expect(rows.count == count && Set(rows.map(\.token.hex)) == QueueStage.tokens(count))
            #expect(rows.allSatisfy { $0.kind == .delivered })
            let requests = try await stage.requests()
            #expect(Set(requests.map(\.token)) == QueueStage.tokens(count))
            // Each life of a worker has one connection.
            let lives = Set(requests.map(\.connection)).sorted()
            #expect(lives.count <= Self.kills + 1)
            for (life, connection) in lives.enumerated() {
                let pushed = requests.filter { $0.connection == connection }.map(\.token)
                #expect(pushed.count == Set(pushed).count, "twice in one life")
                let known = recorded.prefix(life).reduce(into: Set()) { $0.formUnion($1) }
                #expect(known.isDisjoint(with: pushed), "pushed again although its outcome was recorded")
            }
            let ids = Dictionary(grouping: requests, by: \.token).mapValues { Set($0.map(\.apnsID)) }
            #expect(ids.values.allSatisfy { $0.count == 1 })
        }

        @Test func twoWorkersShareAQueue() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(10_000).status == 0)
            let workers = [try stage.worker(), try stage.worker(["--connections", "2"])]
            try await stage.outcomes(10_000)
            for worker in workers { worker.signal(SIGTERM) }
            for worker in workers { #expect(await worker.end().status == 143) }
            #expect(try await stage.rows().count == 10_000)
            let requests = try await stage.requests()
            #expect(requests.count == 10_000 && Set(requests.map(\.token)) == QueueStage.tokens(10_000))
        }

        @Test func anOutageTakesNothingFromTheQueue() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(1_000).status == 0)
            let worker = try await Program(
                ["worker", "--max-outage", "1"] + stage.queue + stage.stage.connection("--port", "1")
            ).end()
            #expect(worker.status == 69 && worker.errors.contains { $0.contains("no link for 1 s") })
            let status = try await stage.store().status()
            #expect(status.waiting == 4 && status.taken == 0)
        }

        @Test func aRateHoldsForAllWorkersTogether() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(2_000).status == 0)
            let start = ContinuousClock.now
            let rate = ["--rate", "1000/s", "--burst", "100"]
            let workers = [try stage.worker(rate), try stage.worker(rate)]
            try await stage.outcomes(2_000)
            // 100 at once, and one entry of 256 ahead of its time for each worker; the others at 1,000 a second.
            #expect(ContinuousClock.now - start > .milliseconds(1_300))
            for worker in workers { worker.signal(SIGTERM) }
            for worker in workers { #expect(await worker.end().status == 143) }
            #expect(try await stage.requests().count == 2_000)
        }

        @Test func aWorkersNameTellsItsProcess() async throws {
            let stage = try await QueueStage()
            let worker = try stage.worker()
            try await until { try await !Set(stage.store().status().workers.keys).isEmpty }
            let name = try #require(try await stage.store().status().workers.keys.first?.description)
            #expect(name.split(separator: "-").count >= 3 && !name.hasPrefix("worker-"))
            worker.signal(SIGTERM)
            _ = await worker.end()
        }

        @Test func oneProcessWorksSeveralQueues() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(300, ["--name", "orders"]).status == 0)
            #expect(try await stage.put(200, ["--name", "news"]).status == 0)
            func setting(_ name: String) throws -> String {
                try #require(stage.stage.connection.firstIndex(of: name).map { stage.stage.connection[$0 + 1] })
            }
            let settings = """
                {"host": "localhost", "port": \(try setting("--port")), "trust-roots": "\(try setting("--trust-roots"))",
                 "key": "\(stage.stage.key)", "team-id": "\(try setting("--team-id"))", "topic": "com.example.app"
                """
            let queues = try stage.stage.file(
                "queues.json", #"{"orders": \#(settings), "connections": 2}, "news": \#(settings)}}"#)
            let worker = try Program(["worker", "--json", "--queues", queues] + stage.queue)
            try await stage.outcomes(300, in: "orders")
            try await stage.outcomes(200, in: "news")
            worker.signal(SIGINT)
            let end = await worker.end()
            #expect(end.status == 130 && end.output.first?.hasPrefix(#"{"tokens":500,"delivered":500,"#) == true)
            #expect(end.output.first?.contains(#"{"queue":"orders","tokens":300,"delivered":300,"#) == true)
            for name in ["orders", "news"] {
                let start = end.errors.first { $0.contains("pushctl: \(name): worker ") }
                #expect(start?.contains(" on \(stage.path), localhost:") == true, "\(end.errors)")
                #expect(start?.contains(", key ") == true)
            }
        }

        @Test func aLogOfJSONHasAnObjectInEachLine() async throws {
            let stage = try await QueueStage()
            let put = try await stage.put(300, ["--log", "json", "--ids"])
            let worker = try stage.worker(["--log", "json", "--verbose"])
            try await stage.outcomes(300)
            worker.signal(SIGTERM)
            let end = await worker.end()
            let wrong = try await Stage.run(["worker", "--log=json", "--no-such-flag"])
            for line in put.errors + end.errors + wrong.errors {
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                #expect(object?["time"] is String && object?["message"] is String, "\(line)")
                #expect(["info", "warning", "error"].contains(object?["level"] as? String), "\(line)")
            }
            #expect(put.errors.last?.contains(#""totals":{"#) == true && put.status == 0)
            #expect(end.errors.contains { $0.contains(#""queue":"push","message":"worker "#) }, "\(end.errors)")
            #expect(wrong.errors.count == 1 && wrong.errors.first?.contains(#""level":"error""#) == true)
        }

        /// The settings of a connection to the simulator, as a JSON object; a key of another file if one is given.
        private func settings(_ stage: QueueStage, key: String? = nil, host: String = "localhost") throws -> String {
            func setting(_ name: String) throws -> String {
                try #require(stage.stage.connection.firstIndex(of: name).map { stage.stage.connection[$0 + 1] })
            }
            return """
                {"host": "\(host)", "port": \(try setting("--port")), "trust-roots": "\(try setting("--trust-roots"))",
                 "key": "\(key ?? stage.stage.key)", "team-id": "\(try setting("--team-id"))",
                 "topic": "com.example.app"}
                """
        }

        /// One tenant's missing key stops no other, is seen in the queue, and is found when it comes.
        @Test func aMissingKeySuspendsItsQueueAlone() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(300, ["--name", "orders"]).status == 0)
            #expect(try await stage.put(200, ["--name", "news"]).status == 0)
            let name = try #require(stage.stage.key.split(separator: "/").last)
            let missing = stage.stage.folder + "/later/" + name
            let (good, bad) = (try settings(stage), try settings(stage, key: missing))
            let queues = try stage.stage.file("queues.json", #"{"orders": \#(good), "news": \#(bad)}"#)
            let socket = stage.stage.folder + "/w.sock"
            let flags = ["--json", "--queues", queues, "--status-socket", socket]
            let worker = try Program(["worker"] + flags + stage.queue)
            try await stage.outcomes(300, in: "orders")
            let line = await worker.line(with: "pushctl: news: suspended: The signing key in")
            #expect(line != nil)
            let store = stage.store("news")
            try await until { try await store.status().workers.values.contains { $0.note != nil } }
            let status = try await Stage.run(["queue", "status", "--name", "news"] + stage.queue)
            #expect(status.output.contains { $0.contains("suspended: The signing key in") }, "\(status.output)")
            let doctor = try await Stage.run(["doctor", "--name", "news"] + stage.queue)
            #expect(doctor.output.contains { $0.contains("1 alive, 1 suspended") }, "\(doctor.output)")
            let check = try await Stage.run(["top", "--check", socket])
            #expect(check.status == 69 && check.output.count == 1, "\(check.output)")
            #expect(check.output.first?.hasPrefix("news: suspended: The signing key in") == true)
            // The key comes.
            try FileManager.default.createDirectory(
                atPath: stage.stage.folder + "/later", withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: stage.stage.key, toPath: missing)
            try await stage.outcomes(200, in: "news")
            #expect(try await Stage.run(["top", "--check", socket]).status == 0)
            worker.signal(SIGINT)
            let end = await worker.end()
            #expect(end.status == 130 && end.output.first?.hasPrefix(#"{"tokens":500,"delivered":500,"#) == true)
        }

        @Test func aCheckTriesEachQueueAndPushesToNoDevice() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(3, ["--name", "orders"]).status == 0)
            let (good, bad) = (try settings(stage), try settings(stage, key: "/none/AuthKey_ABC123DEFG.p8"))
            let away = try settings(stage, host: "no-such-host.invalid")
            let text = #"{"orders": \#(good), "news": \#(bad), "old": \#(away)}"#
            let queues = try stage.stage.file("queues.json", text)
            let command = ["worker", "--check", "--create", "--queues", queues] + stage.queue
            let end = try await Stage.run(command)
            #expect(end.output.count == 3 && end.output.contains("orders ok"), "\(end.output)")
            #expect(end.output[0].hasPrefix("news FAIL The signing key in /none/AuthKey_ABC123DEFG.p8 can't be read"))
            #expect(end.output[1].hasPrefix("old FAIL") && end.status == 78)
            let status = try await stage.store("orders").status()
            #expect(status.waiting == 1 && status.workers.isEmpty)
            // A device of zeros only.
            #expect(try await stage.requests().allSatisfy { $0.token.allSatisfy { $0 == "0" } })
        }

        @Test(arguments: [
            ("{}", "names no queue"), (#"{"orders": 1}"#, "must be an object"),
            (#"{"orders": {"kay": "a"}}"#, "line 1: orders.kay is not a known name"),
            (#"{"orders": {"topic": "a"}}"#, "No credential"),
            (#"{"\#(String(repeating: "a", count: 201))": {"topic": "a"}}"#, "is not a valid queue name"),
        ])
        func aWrongFileOfQueuesIsRefused(_ text: String, _ expected: String) async throws {
            let stage = try await QueueStage()
            let queues = try stage.stage.file("queues.json", text)
            let end = try await Stage.run(["worker", "--queues", queues] + stage.queue)
            #expect(end.status == 78 && end.errors.last?.contains(expected) == true, "\(end.errors)")
        }
    }
}
