import Foundation
import PushQueue
import PushSQLite
import SupervisedPush
import Testing

extension ProgramTests {
    /// `pushctl queue`.
    @Suite(.timeLimit(.minutes(3))) struct QueueProgramTests {
        private static let commands = [
            "put", "status", "outcomes", "feedback", "dead", "requeue", "discard", "cancel", "trim",
            "pause", "resume", "rate", "campaigns",
        ]

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

        @Test func whatIsUrgentIsPutBeforeTheRestAndShownAsSuch() async throws {
            let stage = try await QueueStage()
            let (first, second) = try (
                stage.stage.file("first.csv", "token\naa01\n"), stage.stage.file("second.csv", "token\nbb02\n")
            )
            let title = ["--title", "Hello"] + stage.queue
            #expect(try await Stage.run(["queue", "put", first] + title).status == 0)
            #expect(try await Stage.run(["queue", "put", second, "--urgent"] + title).status == 0)
            let found = try await Stage.run(["queue", "find", "bb02"] + stage.queue)
            #expect(found.output.first?.hasPrefix("waiting, urgent, entry ") == true, "\(found.output)")
            let line = try await Stage.run(["queue", "find", "aa01", "--json"] + stage.queue)
            #expect(line.output.first?.contains(#""urgent":false"#) == true, "\(line.output)")
            let status = try await Stage.run(["queue", "status"] + stage.queue)
            #expect(status.output.first?.contains("1 urgent") == true, "\(status.output)")
            let json = try await Stage.run(["queue", "status", "--json"] + stage.queue)
            #expect(json.output.first?.contains(#","dead":0,"urgent":1,"#) == true, "\(json.output)")
            let taken = try await stage.store().take(as: WorkerID("test"), tokens: 100).map { try $0.entry.get() }
            #expect(taken.map { $0.tokens.map(\.hex) } == [["bb02"], ["aa01"]])
        }

        @Test func recordsWithPlaceholdersHaveEntriesOfTheirOwn() async throws {
            let stage = try await QueueStage()
            let input = try stage.stage.file("input.csv", "token,name\naa01,Anna\naa02,Ben\naa03,Anna\n")
            let flags = ["--title", "Hello {{name}}", "--priority", "5", "--ids"]
            let end = try await Stage.run(["queue", "put", input] + flags + stage.queue)
            #expect(end.status == 0 && end.rows.map { $0[1...] } == [["2", "2"], ["1", "3"]])
            let taken = try await stage.store().take(as: WorkerID("test"), tokens: 100).map { try $0.entry.get() }
            #expect(taken.map { $0.tokens.map(\.hex) } == [["aa01", "aa03"], ["aa02"]])
            #expect(
                taken.allSatisfy { $0.notification.priority?.rawValue == 5 && !$0.neverRepeats && $0.deadline == nil })
            #expect(String(decoding: taken[1].notification.payload.bytes, as: UTF8.self).contains("Hello Ben"))
        }

        @Test func strictAndDryRunsPutNothing() async throws {
            let stage = try await QueueStage()
            let input = try stage.stage.file("input.csv", Stage.tokens(0..<10) + "zz\n")
            let command = ["queue", "put", input, "--title", "Hello"] + stage.queue
            #expect(try await Stage.run(command + ["--strict"]).status == 66)
            let dry = try await Stage.run(command + ["--dry-run", "--json"])
            #expect(dry.status == 1 && dry.output.last?.hasPrefix(#"{"entries":1,"tokens":10,"invalid":1"#) == true)
            #expect(!FileManager.default.fileExists(atPath: stage.path))
        }

        @Test func outcomesAreKeptAndTrimmedAsIsAsked() async throws {
            let stage = try await QueueStage()
            let put = try await stage.put(40, ["--max-outcomes", "30"])
            #expect(
                put.status == 0 && put.errors.contains { $0.contains("the queue keeps 30 outcomes") }, "\(put.errors)")
            let status = try await Stage.run(["queue", "status", "--json"] + stage.queue)
            #expect(status.output.first?.contains(#""max_outcomes":30"#) == true, "\(status.output)")
            let more = try await stage.put(1, ["--max-outcomes", "100"])
            #expect(more.status == 0 && !more.errors.contains { $0.contains("keeps") })
            let (store, worker) = (stage.store(), WorkerID("test"))
            let taken = try await store.take(as: worker, tokens: 100)
            for entry in taken {
                let whole = try entry.entry.get()
                let rows = whole.tokens.indices.map {
                    QueueOutcome(
                        entry: whole.id, index: $0, token: whole.tokens[$0], PushOutcome(.delivered, status: 200))
                }
                try await store.settle(as: worker, [Settlement(entry.key, rows: rows, fate: .done)])
            }
            let trim = ["queue", "trim"] + stage.queue
            #expect(try await Stage.run(trim).status == 64)
            #expect(try await Stage.run(trim + ["--before", "0s"]).output == ["removed 0"])
            let read = try await Stage.run(["queue", "outcomes"] + stage.queue)
            #expect(read.output.count == 42)
            let position = try #require(read.lastWord)
            #expect(try await Stage.run(trim + ["--before", "1d"]).output == ["removed 0"])
            #expect(try await Stage.run(trim + ["--up-to", "x"]).status == 64)
            #expect(try await Stage.run(trim + ["--up-to", position, "--json"]).output == [#"{"removed":41}"#])
            #expect(try await store.status().outcomes == 0)
        }

        @Test func theFirstCallOfAPutIsRepeated() async throws {
            let stage = try await Stage()
            let input = try stage.file("input.csv", Stage.tokens(0..<3))
            let put = try Program(["queue", "put", input, "--title", "Hello", "--queue", "redis://127.0.0.1:1"])
            let line = try #require(await put.line(with: "Asking again for up to "))
            #expect(line.contains("127.0.0.1") && !line.contains("It is tried again"))
            #expect(await put.end(insisting: SIGINT).status == 130)
        }

        @Test func anOutcomeThatCannotBeReadHidesNoOther() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(3).status == 0)
            let (store, worker) = (stage.store(), WorkerID("test"))
            let taken = try #require(try await store.take(as: worker, tokens: 100).first)
            let whole = try taken.entry.get()
            let rows = whole.tokens.indices.map {
                QueueOutcome(entry: whole.id, index: $0, token: whole.tokens[$0], PushOutcome(.delivered, status: 200))
            }
            try await store.settle(as: worker, [Settlement(taken.key, rows: rows, fate: .done)])
            let database = try Database(stage.path, .readWrite)
            let text = String(decoding: rows[1].row, as: UTF8.self)
            let diverted = text.replacingOccurrences(of: "delivered", with: "diverted")
            try database.execute("UPDATE outcomes SET rows = replace(rows, '\(text)', '\(diverted)')")
            let end = try await Stage.run(["queue", "outcomes", "--json"] + stage.queue)
            #expect(end.status == 2 && end.output.count == 2, "\(end.output)")
            #expect(end.errors.contains { $0.contains("cannot be read") && $0.hasSuffix(".2") }, "\(end.errors)")
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

        @Test func cancellingTellsWhatBecameOfEachEntry() async throws {
            let stage = try await QueueStage()
            let delayed = try await stage.put(10, ["--not-before", "1h", "--ids"])
            let id = try #require(delayed.rows.first?.first)
            #expect(try await stage.store().status().delayed == 1)
            let first = try await Stage.run(["queue", "cancel", id] + stage.queue)
            #expect(first.status == 0 && first.output == ["\(id) cancelled"])
            let taken = try #require(try await stage.put(10, ["--ids"]).rows.first?.first)
            _ = try await stage.store().take(as: WorkerID("test"), tokens: 100)
            let second = try await Stage.run(["queue", "cancel", id, taken, "--json"] + stage.queue)
            #expect(
                second.status == 1
                    && second.output == [
                        #"{"id":"\#(id)","result":"not_found"}"#, #"{"id":"\#(taken)","result":"taken"}"#,
                    ])
            #expect(try await Stage.run(["queue", "cancel", "zz"] + stage.queue).status == 64)
        }

        @Test func deadLettersArePrintedAndPutBack() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(10).status == 0)
            let (store, worker) = (stage.store(), WorkerID("test"))
            let taken = try #require(try await store.take(as: worker, tokens: 100).first)
            try await store.settle(
                as: worker, [Settlement(taken.key, rows: [], fate: .dead("three workers died, with it"))])
            let id = try taken.entry.get().id
            let dead = try await Stage.run(["queue", "dead"] + stage.queue)
            let key = try #require(dead.rows.first?.first)
            #expect(dead.output == ["key,id,tokens,reason", #"\#(key),\#(id),10,"three workers died, with it""#])
            let requeued = try await Stage.run(["queue", "requeue", "\(id)"] + stage.queue)
            #expect(requeued.status == 0 && requeued.output == ["\(id) requeued"])
            let again = try await Stage.run(["queue", "requeue", key, "--json"] + stage.queue)
            #expect(again.status == 1)
            #expect(again.output == [#"{"name":"\#(key)","key":"\#(key)","result":"not_found"}"#])
            #expect(try await store.status().waiting == 1)
        }

        @Test func deadLettersAreDiscarded() async throws {
            let stage = try await QueueStage()
            let (store, worker) = (stage.store(), WorkerID("test"))
            for _ in 0..<2 {
                #expect(try await stage.put(10).status == 0)
                let taken = try #require(try await store.take(as: worker, tokens: 100).first)
                try await store.settle(
                    as: worker, [Settlement(taken.key, rows: [], fate: .dead("three workers died with it"))])
            }
            let key = try #require(try await store.deadLetters(limit: 1).first?.key.description)
            let first = try await Stage.run(["queue", "discard", key] + stage.queue)
            #expect(first.status == 0 && first.output == ["\(key) discarded"])
            #expect(try await Stage.run(["queue", "discard", "--all"] + stage.queue).status == 64)
            let rest = try await Stage.run(["queue", "discard", "--all", "--yes"] + stage.queue)
            #expect(rest.status == 0 && rest.output.count == 1)
            #expect(try await store.status().dead == 0)
        }

        @Test func theStatusTellsWhoseWorkIsTakenOverSoon() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(300).status == 0)
            let (store, worker) = (stage.store(), WorkerID("web1-4711-0f3a91c2"))
            _ = try await store.beat(as: worker)
            _ = try await store.take(as: worker, tokens: 256)
            let text = try await Stage.run(["queue", "status"] + stage.queue)
            #expect(text.output.last?.hasPrefix("worker web1-4711-0f3a91c2: 1 taken, last heartbeat") == true)
            let json = try await Stage.run(["queue", "status", "--json"] + stage.queue)
            #expect(
                json.output.first?.contains(
                    #""taken":1,"workers":[{"name":"web1-4711-0f3a91c2","taken":1,"silent_seconds":"#) == true)
        }

        @Test func aDryRunPrintsTheFirstRequest() async throws {
            let stage = try await QueueStage()
            let text = try await stage.put(3, ["--dry-run", "--topic", "com.example.app", "--priority", "5"])
            #expect(text.status == 0 && text.output.first?.hasPrefix("path      /3/device/00") == true)
            #expect(text.output.contains("apns-topic: com.example.app") && text.output.contains("apns-priority: 5"))
            #expect(text.output.last?.contains("tokens") == true)
            let json = try await stage.put(3, ["--dry-run", "--json"])
            #expect(json.output.first?.hasSuffix(#""payload":{"aps":{"alert":{"title":"Hello"}}}}"#) == true)
            #expect(!json.output.joined().contains("apns-topic"))
            #expect(!FileManager.default.fileExists(atPath: stage.path))
        }

        @Test func aTopicOfTheProducerIsStored() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(1, ["--topic", "com.example.other"]).status == 0)
            let taken = try await stage.store().take(as: WorkerID("test"), tokens: 1)
            #expect(try taken.first?.entry.get().notification.topic?.rawValue == "com.example.other")
        }

        @Test func outcomesFromTheEndAreOnlyNewOnes() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(10).status == 0)
            let worker = try stage.worker()
            try await stage.outcomes(10)
            worker.signal(SIGTERM)
            _ = await worker.end()
            let end = try await Stage.run(["queue", "outcomes", "--after", "end", "--json"] + stage.queue)
            #expect(end.status == 0 && end.output.isEmpty && end.errors.last?.contains("--after ") == true)
        }

        @Test func aNameThatIsNotThereIsSaid() async throws {
            let stage = try await QueueStage()
            let made = try await stage.put(1, ["--name", "orders"])
            #expect(made.status == 0 && made.errors.contains("pushctl: created \(stage.path)"))
            #expect(try await !stage.put(1, ["--name", "orders"]).errors.contains { $0.contains("created") })
            let second = try await stage.put(1, ["--name", "news"])
            #expect(second.errors.contains("pushctl: created the queue news in \(stage.path)"))
            let id = String(repeating: "a", count: 32)
            for command in [["status"], ["outcomes"], ["feedback"], ["dead"], ["requeue", id], ["cancel", id]] {
                let end = try await Stage.run(["queue"] + command + ["--name", "order"] + stage.queue)
                #expect(end.status == 66, "\(command)")
                #expect(end.errors.last?.contains("(there is news, orders)") == true, "\(end.errors)")
            }
            let worker = try await Stage.run(["worker", "--name", "order"] + stage.queue + stage.stage.connection)
            #expect(worker.status == 66 && worker.errors.last?.contains("--create") == true, "\(worker.errors)")
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
            #expect(
                first.output.first
                    == "id,index,token,outcome,status,reason,apns_id,timestamp,attempts,certainty,"
                    + "invalidated_at,ended_at,campaign")
            let answers = Set(first.rows.map { (row: [String]) -> [String] in Array(row[2...5]) })
            #expect(answers == [["deadbeef01", "rejected", "410", "Unregistered"], ["0202", "delivered", "200", ""]])
            #expect(first.rows.allSatisfy { ($0[10] == $0[7]) && ($0[10].isEmpty == ($0[4] == "200")) })
            let position = try #require(first.lastWord)
            let second = try await Stage.run(["queue", "outcomes", "--after", position] + stage.queue)
            #expect(second.status == 0 && second.rows.isEmpty)
            let wrong = try await Stage.run(["queue", "outcomes", "--after", "yesterday"] + stage.queue)
            #expect(wrong.status == 64 && wrong.output.isEmpty, "\(wrong.errors)")
            #expect(wrong.errors.last?.contains("--after: ") == true, "\(wrong.errors)")
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
            let foreign = try stage.stage.file("foreign.db", "This is not a database, but a text.\n")
            let status = try await Stage.run(["queue", "status", "--queue", foreign])
            #expect(status.status == 78 && status.errors.last?.contains("is not a queue") == true)
            let worker = try await Stage.run(["worker", "--queue", foreign] + stage.stage.connection)
            #expect(worker.status == 78)
            #expect(try await Stage.run(["queue", "status", "--queue", stage.path]).status == 66)
            #expect(try await Stage.run(["worker", "--queue", stage.path] + stage.stage.connection).status == 66)
            #expect(!FileManager.default.fileExists(atPath: stage.path))
        }
    }
}
