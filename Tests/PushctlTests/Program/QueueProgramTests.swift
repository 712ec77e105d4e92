import Foundation
import PushQueue
import SupervisedPush
import Testing

extension ProgramTests {
    /// `pushctl queue`.
    @Suite(.timeLimit(.minutes(3))) struct QueueProgramTests {
        private static let commands = ["put", "status", "outcomes", "feedback", "dead", "requeue", "cancel"]

        @Test(arguments: commands.map { ["queue", $0] } + [["queue"], ["worker"]])
        func everyCommandHasItsHelp(_ command: [String]) async throws {
            let end = try await Stage.run(command + ["--help"])
            #expect(end.status == 0 && end.output.contains { $0.contains("pushctl \(command.joined(separator: " "))") })
        }

        @Test func tokensArePutInEntriesOf256() async throws {
            let stage = try await QueueStage()
            let input = try stage.stage.file("input.csv", Stage.tokens(0..<1_000) + "zz\n")
            let end = try await Stage.run(["queue", "put", input, "--title", "Hello", "--json"] + stage.queue)
            #expect(end.status == 1)
            #expect(
                end.output.first?.hasPrefix(#"{"entries":4,"tokens":1000,"invalid":1,"last_line":1002,"#) == true)
            #expect(end.errors.contains { $0.contains("line 1002") })
            let status = try await Stage.run(["queue", "status", "--json"] + stage.queue)
            #expect(status.output.first?.hasPrefix(#"{"waiting":4,"delayed":0,"taken":0,"#) == true)
        }

        @Test func recordsWithPlaceholdersHaveEntriesOfTheirOwn() async throws {
            let stage = try await QueueStage()
            let input = try stage.stage.file("input.csv", "token,name\naa01,Anna\naa02,Ben\naa03,Anna\n")
            let flags = ["--title", "Hello {{name}}", "--priority", "5", "--ids"]
            let end = try await Stage.run(["queue", "put", input] + flags + stage.queue)
            #expect(end.status == 0 && end.rows.map { $0[1...] } == [["2", "2"], ["1", "3"]])
            let taken = try await stage.store().take(as: WorkerID("test"), tokens: 100).map { try $0.entry.get() }
            #expect(taken.map { $0.tokens.map(\.hex) } == [["aa01", "aa03"], ["aa02"]])
            #expect(taken.allSatisfy { $0.notification.priority?.rawValue == 5 && !$0.once && $0.deadline == nil })
            #expect(String(decoding: taken[1].notification.payload.bytes, as: UTF8.self).contains("Hello Ben"))
        }

        @Test func strictAndDryRunsPutNothing() async throws {
            let stage = try await QueueStage()
            let input = try stage.stage.file("input.csv", Stage.tokens(0..<10) + "zz\n")
            let command = ["queue", "put", input, "--title", "Hello"] + stage.queue
            #expect(try await Stage.run(command + ["--strict"]).status == 66)
            let dry = try await Stage.run(command + ["--dry-run", "--json"])
            #expect(dry.status == 1 && dry.output.first?.hasPrefix(#"{"entries":1,"tokens":10,"invalid":1"#) == true)
            #expect(!FileManager.default.fileExists(atPath: stage.path))
        }

        @Test func aLimitSaysWhereToGoOn() async throws {
            let stage = try await QueueStage()
            let first = try await stage.put(10, ["--limit", "4"])
            #expect(first.status == 0 && first.errors.last?.hasSuffix("go on with --from-line 6") == true)
            #expect(
                try await stage.put(10, ["--from-line", "6", "--json"]).output.first?.contains(#""tokens":6"#) == true)
            let taken = try await stage.store().take(as: WorkerID("test"), tokens: 100).map { try $0.entry.get() }
            #expect(taken.flatMap(\.tokens).map(\.hex).count == 10)
            #expect(Set(taken.flatMap(\.tokens).map(\.hex)) == QueueStage.tokens(10))
        }

        @Test func whatWaitsIsCancelledAndWhatIsTakenIsTooLate() async throws {
            let stage = try await QueueStage()
            let delayed = try await stage.put(10, ["--not-before", "1h", "--ids"])
            let id = try #require(delayed.rows.first?.first)
            #expect(try await stage.store().status().delayed == 1)
            let first = try await Stage.run(["queue", "cancel", id] + stage.queue)
            #expect(first.status == 0 && first.output == ["\(id) cancelled"])
            let second = try await Stage.run(["queue", "cancel", id, "--json"] + stage.queue)
            #expect(second.status == 1 && second.output == [#"{"id":"\#(id)","result":"too_late"}"#])
            #expect(try await Stage.run(["queue", "cancel", "zz"] + stage.queue).status == 64)
        }

        @Test func deadLettersArePrintedAndPutBack() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(10).status == 0)
            let (store, worker) = (stage.store(), WorkerID("test"))
            let taken = try #require(try await store.take(as: worker, tokens: 100).first)
            try await store.settle(as: worker, [Settlement(taken.key, [], .dead("three workers died, with it"))])
            let id = try taken.entry.get().id
            let dead = try await Stage.run(["queue", "dead"] + stage.queue)
            #expect(dead.output == ["id,tokens,reason", #"\#(id),10,"three workers died, with it""#])
            let requeued = try await Stage.run(["queue", "requeue", "--all"] + stage.queue)
            #expect(requeued.status == 0 && requeued.output == ["\(id) requeued"])
            let again = try await Stage.run(["queue", "requeue", "\(id)"] + stage.queue)
            #expect(again.status == 1 && again.output == ["\(id) not_found"])
            #expect(try await store.status().waiting == 1)
        }

        @Test func outcomesGoOnBehindAPosition() async throws {
            let stage = try await QueueStage()
            let input = try stage.stage.file("input.csv", "token\ndeadbeef01\n0202\n")
            #expect(try await Stage.run(["queue", "put", input, "--title", "Hello"] + stage.queue).status == 0)
            let worker = try stage.worker()
            try await stage.outcomes(2)
            worker.signal(SIGTERM)
            #expect(await worker.end().status == 143)
            let first = try await Stage.run(["queue", "outcomes"] + stage.queue)
            #expect(first.output.first == "id,index,token,outcome,status,reason,apns_id,timestamp,attempts,certainty")
            #expect(
                Set(first.rows.map { $0[2...5] }) == [
                    ["deadbeef01", "rejected", "410", "Unregistered"], ["0202", "delivered", "200", ""],
                ])
            let position = try #require(first.errors.last?.split(separator: " ").last.map(String.init))
            let second = try await Stage.run(["queue", "outcomes", "--after", position] + stage.queue)
            #expect(second.status == 0 && second.rows.isEmpty)
            let feedback = try await Stage.run(["queue", "feedback", "--json"] + stage.queue)
            #expect(feedback.output.count == 1 && feedback.output[0].contains(#""token":"deadbeef01""#))
        }

        @Test func followingEndsWithASignal() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(10).status == 0)
            let program = try Program(["queue", "outcomes", "--follow", "--json"] + stage.queue)
            let worker = try stage.worker()
            #expect(await program.lines(10))
            program.signal(SIGINT)
            #expect(await program.end().status == 130)
            worker.signal(SIGINT)
            #expect(await worker.end().status == 130)
        }

        @Test func whatIsNoQueueIsRefused() async throws {
            let stage = try await QueueStage()
            let foreign = try stage.stage.file("foreign.db", "This is no database, but a text.\n")
            let status = try await Stage.run(["queue", "status", "--queue", foreign])
            #expect(status.status == 78 && status.errors.last?.contains("is no queue") == true)
            let worker = try await Stage.run(["worker", "--queue", foreign] + stage.stage.connection)
            #expect(worker.status == 78)
            #expect(try await Stage.run(["queue", "status", "--queue", stage.path]).status == 66)
            #expect(!FileManager.default.fileExists(atPath: stage.path))
        }
    }
}
