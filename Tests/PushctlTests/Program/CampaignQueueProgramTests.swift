import Foundation
import PushQueue
import SupervisedPush
import TestSupport
import Testing

extension ProgramTests {
    /// `pushctl queue put --campaign`, and `queue campaigns`.
    @Suite("parity: F23 – campaigns in a queue", .timeLimit(.minutes(5))) struct CampaignQueueProgramTests {
        private static let flags = ["--campaign", "spring", "--json"]

        /// The entries that wait, which are taken and settled.
        private static func drain(_ store: any PushQueueStore) async throws -> [QueueEntry] {
            let worker = WorkerID("test")
            var all: [QueueEntry] = []
            while true {
                let taken = try await store.take(as: worker, tokens: 100_000)
                if taken.isEmpty { return all }
                for entry in taken {
                    let whole = try entry.entry.get()
                    all.append(whole)
                    let rows = whole.tokens.indices.map {
                        QueueOutcome(
                            entry: whole.id, index: $0, token: whole.tokens[$0], PushOutcome(.delivered, status: 200))
                    }
                    try await store.settle(
                        as: worker, [Settlement(entry.key, rows: rows, fate: .done, campaign: whole.campaign)])
                }
            }
        }

        @Test func aCampaignThatIsPutAgainAddsNothingAlsoAfterItsEntriesAreGone() async throws {
            let stage = try await QueueStage()
            let first = try await stage.put(600, Self.flags)
            #expect(first.status == 0 && first.output.first?.hasPrefix(#"{"entries":3,"tokens":600,"#) == true)
            let store = stage.store()
            for round in 0..<2 {
                let again = try await stage.put(600, Self.flags)
                #expect(again.status == 0 && again.output.first?.hasPrefix(#"{"entries":0,"tokens":0,"#) == true)
                #expect(again.errors.contains { $0.contains("all of the campaign spring was put before") })
                #expect(try await Self.drain(store).count == (round == 0 ? 3 : 0))
            }
            let list = try await Stage.run(["queue", "campaigns", "--json"] + stage.queue)
            #expect(list.output.count == 1)
            #expect(
                list.output.first?.hasPrefix(
                    #"{"campaign":"spring","state":"done","tokens":600,"waiting":0,"scheduled":0,"retrying":0,"taken":0,"#
                ) == true,
                "\(list.output)")
            #expect(
                list.output.first?.contains(
                    #""delivered":600,"rejected":0,"failed":0,"unknown":0,"cancelled":0,"reasons":{}"#)
                    == true)
        }

        /// Makes a pipe that nobody reads, with room for this many pages.
        private static func makePipe(_ path: String, pages: Int) throws -> FileHandle {
            try #require(mkfifo(path, 0o600) == 0)
            let pipe = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            try #require(pipe >= 0)
            var page = [UInt8](repeating: 0, count: 4_096)
            while write(pipe, page, 4_096) > 0 {}
            for _ in 0..<pages { _ = read(pipe, &page, 4_096) }
            return FileHandle(fileDescriptor: pipe, closeOnDealloc: true)
        }

        @Test func aKillInTheMiddleOfACampaignAddsNothingTwice() async throws {
            let stage = try await QueueStage()
            let count = 200_000
            let input = try stage.stage.file("input.csv", Stage.tokens(0..<count))
            let command = ["queue", "put", input, "--title", "Hello"] + stage.queue + Self.flags
            // Each run is killed once it has put something more, while it puts the next. None ends before: it prints a line for each
            // entry, and waits behind two batches or three for a reader that never comes.
            for round in 0..<3 {
                let store = stage.store()
                let before = FileManager.default.fileExists(atPath: stage.path) ? try await store.status().waiting : 0
                let lines = stage.stage.folder + "/lines\(round)"
                let pipe = try Self.makePipe(lines, pages: 2)
                defer { try? pipe.close() }
                let script = ["-c", #"exec "$@" >"$0""#, lines, Program.binary]
                let put = try Program(script + command + ["--ids"], running: "/bin/sh")
                await until {
                    guard FileManager.default.fileExists(atPath: stage.path) else { return false }
                    return ((try? await store.status().waiting) ?? 0) > before
                }
                put.signal(SIGKILL)
                #expect(await put.end().status == -SIGKILL)
            }
            let last = try await Stage.run(command)
            #expect(last.status == 0, "\(last.errors)")
            let entries = try await Self.drain(stage.store())
            let tokens = entries.flatMap(\.tokens).map(\.hex)
            #expect(tokens.count == count && Set(tokens) == QueueStage.tokens(count))
            #expect(Set(entries.map(\.id)).count == entries.count)
            #expect(try await Stage.run(command).output.first?.hasPrefix(#"{"entries":0,"tokens":0,"#) == true)
        }

        @Test func anotherFileUnderTheNameIsRefused() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(10, Self.flags).status == 0)
            let other = try await stage.put(11, Self.flags)
            #expect(other.status == 78 && other.errors.contains { $0.contains("was begun with another file") })
            #expect(try await stage.store().status().waiting == 1)
        }

        @Test func aCampaignIsPausedResumedAndCancelled() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(600, Self.flags).status == 0)
            #expect(try await stage.put(40).status == 0)
            let campaign = ["--campaign", "spring", "--json"] + stage.queue
            let pause = try await Stage.run(["queue", "pause"] + campaign)
            #expect(
                pause.output.first?.hasPrefix(#"{"campaign":"spring","state":"paused","tokens":600,"waiting":600,"#)
                    == true,
                "\(pause)")
            let worker = try stage.worker()
            // What is no part of it goes out, although it was put behind it.
            try await stage.outcomes(40)
            #expect(try await stage.store().campaigns().first?.places.waiting == 600)
            #expect(try await Stage.run(["queue", "resume"] + campaign).status == 0)
            try await stage.outcomes(640)
            worker.signal(SIGTERM)
            _ = await worker.end()
            let cancel = try await Stage.run(["queue", "cancel"] + campaign)
            #expect(
                cancel.output.first?.contains(#""state":"cancelled","tokens":600,"waiting":0,"#) == true, "\(cancel)")
            let again = try await stage.put(600, Self.flags)
            #expect(again.status == 78 && again.errors.contains { $0.contains("a cancelled name stays so") })
            #expect(try await Stage.run(["queue", "resume"] + campaign).status == 78)
        }

        @Test func aCampaignHasARateUntilItIsOff() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(600, Self.flags).status == 0)
            let campaign = ["--campaign", "spring"] + stage.queue
            // A thousand seconds for each token: the first entry of the campaign is all that goes out.
            let rate = try await Stage.run(["queue", "rate", "0.001/s", "--json"] + campaign)
            #expect(rate.output.first?.contains(#""max_rate":0.001,"burst":1"#) == true, "\(rate)")
            #expect(try await stage.put(40).status == 0)
            let status = try await Stage.run(["queue", "status"] + stage.queue)
            let line = "campaign spring: running, at most 0.001 pushes a second, 1 at once, 600 tokens: 600 waiting"
            #expect(status.output.contains(line), "\(status)")
            let worker = try stage.worker()
            try await stage.outcomes(40 + 256)
            #expect(try await stage.store().campaigns().first?.places.waiting == 600 - 256)
            let off = try await Stage.run(["queue", "rate", "off", "--json"] + campaign)
            #expect(off.output.first?.contains(#""max_rate":null,"burst":null"#) == true, "\(off)")
            try await stage.outcomes(640)
            worker.signal(SIGTERM)
            _ = await worker.end()
            let other = ["--campaign", "autumn"] + stage.queue
            #expect(try await Stage.run(["queue", "rate", "100/s"] + other).status == 78)
            #expect(try await Stage.run(["queue", "rate", "off", "--burst", "5"] + campaign).status == 64)
        }

        @Test func allCampaignsAreCancelledOnlyWithYes() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(300, Self.flags).status == 0)
            #expect(try await stage.put(20).status == 0)
            #expect(try await Stage.run(["queue", "cancel", "--all"] + stage.queue).status == 64)
            #expect(try await Stage.run(["queue", "cancel"] + stage.queue).status == 64)
            let end = try await Stage.run(["queue", "cancel", "--all", "--yes"] + stage.queue)
            #expect(end.output == ["spring: cancelled, 300 tokens: 300 cancelled"])
            #expect(try await stage.store().status().waiting == 1)
        }

        @Test func aLimitIsGoneOnFrom() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(10, Self.flags + ["--limit", "4"]).status == 0)
            let rest = try await stage.put(10, Self.flags)
            #expect(rest.output.first?.hasPrefix(#"{"entries":1,"tokens":6,"#) == true)
            #expect(rest.errors.contains { $0.contains("in the queue up to line 5; it goes on after that line") })
        }

        @Test func aRedoHasNewIDsAndIsPutOnce() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(3, Self.flags).status == 0)
            let old = try await Self.drain(stage.store()).map(\.id)
            let rows = "line,token,outcome,status,reason,apns_id,timestamp,attempts,certainty\n"
            let token = Stage.tokens(1..<2, header: false).split(separator: "\n")[0]
            let outcomes = try stage.stage.file("outcomes.csv", rows + "3,\(token),failed,,expired,,,0,not_sent\n")
            for count in [1, 0] {
                let end = try await stage.put(3, Self.flags + ["--redo", outcomes])
                #expect(end.output.first?.hasPrefix(#"{"entries":\#(count),"tokens":\#(count),"#) == true, "\(end)")
            }
            let new = try await Self.drain(stage.store())
            #expect(new.count == 1 && new[0].tokens.map(\.hex) == [String(token)] && !old.contains(new[0].id))
        }

        @Test(arguments: [
            ["-", "--campaign", "a"], ["a.csv", "--campaign", "a b"], ["a.csv", "--campaign", "a", "--from-line", "3"],
        ])
        func flagsThatDoNotFitAreRefused(_ words: [String]) async throws {
            let stage = try await QueueStage()
            #expect(try await Stage.run(["queue", "put", "--title", "Hi"] + words + stage.queue).status == 64)
        }
    }
}
