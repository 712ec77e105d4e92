import Foundation
import PushSQLite
import PushTerminal
import SupervisedPush
import Testing

@testable import PushCampaign

/// A journal as a file.
@Suite final class JournalTests {
    private let folder = NSTemporaryDirectory() + "/pushctl-journal-\(UUID().uuidString)"
    private var path: String { folder + "/journal" }

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private static let campaign = Journal.Campaign(
        input: InputBinding(name: "in.csv", size: 7, sha256: "00ff"), outcomes: "/o.csv", outcomesSize: 70)

    private func journal(_ inputs: NamedFiles = NamedFiles(), isDurable: Bool = false) throws -> Journal {
        try Journal(path, inputs: inputs, isDurable: isDurable)
    }

    private func id(_ line: Int) -> APNSID { APNSID(high: UInt64(line), low: 1) }

    private func intents(_ lines: ClosedRange<Int>) -> [Intent] { lines.map { Intent(line: $0, apnsID: id($0)) } }

    private func results(_ lines: [Int], _ outcome: PushOutcome.Kind = .delivered, _ reason: String? = nil)
        -> JournalResults
    {
        var results = JournalResults()
        for line in lines { results.add(line: line, outcome, reason: reason) }
        return results
    }

    @Test(arguments: [false, true])
    func whatWasCommittedIsThereAfterwards(isDurable: Bool) throws {
        do {
            let journal = try journal(isDurable: isDurable)
            #expect(try journal.campaign() == nil)
            try journal.begin(Self.campaign)
            var none = JournalResults()
            try journal.commit(intents(2...5), &none, outcomesSize: 70)
            var some = results([3, 2])
            try journal.commit(intents(6...7), &some, outcomesSize: 170)
            var rejected = results([7], .rejected, "Unregistered")
            try journal.commit([], &rejected, outcomesSize: 200)
            try journal.finish(records: 6)
        }
        let journal = try journal()
        var expected = Self.campaign
        (expected.outcomesSize, expected.records) = (200, 6)
        #expect(try journal.campaign() == expected)
        let state = try journal.state()
        #expect(state.open == [4: id(4), 5: id(5), 6: id(6)] && state.settled.count == 3)
        let tally = state.tally
        #expect(tally.delivered == 2 && tally.reasons(of: .rejected).map(\.reason) == ["Unregistered"])
    }

    @Test func pushesThatWereNotOfferedAreTakenBack() throws {
        let journal = try journal()
        try journal.begin(Self.campaign)
        var none = JournalResults()
        try journal.commit(intents(2...3), &none, outcomesSize: 70)
        try journal.commit(intents(4...9), &none, outcomesSize: 70)
        try journal.retract(2)
        #expect(try journal.state().open.keys.sorted() == Array(2...7))
        try journal.commit(intents(8...9), &none, outcomesSize: 70)
        try journal.retract(2)
        #expect(try journal.state().open.keys.sorted() == Array(2...7))
    }

    @Test func anotherRunIsRefusedAndAReaderIsNot() throws {
        let journal = try journal()
        try journal.begin(Self.campaign)
        let error = #expect(throws: CommandError.self) { try self.journal() }
        #expect(error?.status == .usage && error?.message.contains("another run is using") == true)
        #expect(try JournalFile.inspect(path))
        #expect(try Journal(reading: path).campaign() == Self.campaign)
        var none = JournalResults()
        try journal.commit(intents(2...3), &none, outcomesSize: 70)
    }

    @Test func onlyItsOwnerReadsIt() throws {
        let journal = try journal()
        try journal.begin(Self.campaign)
        for suffix in ["", "-wal", "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func anotherKindOfFileIsRefusedAndLeftAlone() throws {
        try Data("notes".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: CommandError.self) { try self.journal() }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "notes")
        try FileManager.default.removeItem(atPath: path)
        try Database(path).execute("CREATE TABLE theirs (x)")
        let error = #expect(throws: CommandError.self) { try self.journal() }
        #expect(error?.status == .usage && error?.message.contains("not a journal of pushctl") == true)
        #expect(throws: CommandError.self) { try JournalFile.inspect(path) }
    }

    @Test func aFileThatTheCommandReadsIsRefused() throws {
        try Data().write(to: URL(fileURLWithPath: path))
        var inputs = NamedFiles()
        inputs.add("the file of --payload", path: path)
        let error = #expect(throws: CommandError.self) { try self.journal(inputs) }
        #expect(error?.message == "the journal is the file of --payload; give another file.")
        #expect(try self.journal().campaign() == nil)
    }

    @Test func aNewerJournalIsRefused() throws {
        _ = try journal()
        try Database(path).execute("PRAGMA user_version = 2")
        let error = #expect(throws: CommandError.self) { try self.journal() }
        #expect(error?.status == .configuration && error?.message.contains("a newer pushctl made it") == true)
    }

    @Test func aDamagedBatchIsAnError() throws {
        let journal = try journal()
        try Database(path).execute("INSERT INTO batches (count, intents) VALUES (1, '{\"2\":\"x\"}')")
        let error = #expect(throws: CommandError.self) { try journal.state() }
        #expect(error?.status == .configuration && error?.message.contains("is damaged") == true)
        try Database(path).execute("DROP VIEW intents; DROP VIEW open; DROP TABLE batches; DROP TABLE results")
        for read in [{ _ = try journal.state() }] as [() throws -> Void] {
            let error = #expect(throws: CommandError.self) { try read() }
            #expect(error?.status == .configuration)
        }
    }

    @Test func aFileWithoutACampaignHasNotBegun() throws {
        #expect(try !Journal.hasBegun(path))
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(try !Journal.hasBegun(path))
        // As after a start that failed.
        let journal = try journal()
        #expect(try !Journal.hasBegun(path))
        try journal.begin(Self.campaign)
        #expect(try Journal.hasBegun(path))
    }

    @Test func anOperatorReadsItWithSQL() throws {
        let journal = try journal()
        try journal.begin(Self.campaign)
        var some = results([3])
        try journal.commit(intents(2...4), &some, outcomesSize: 70)
        let database = try Database(path, .readOnly)
        #expect(try database.integer("SELECT count(*) FROM intents") == 3)
        #expect(try database.integer("SELECT line FROM outcomes WHERE outcome = 'delivered'") == 3)
        #expect(try database.integer("SELECT sum(line) FROM open") == 6)
        let ids = try database.prepare("SELECT apns_id FROM open WHERE line = 4")
        #expect(try ids.step() && ids.text(0) == id(4).description)
    }

    @Test func aPathIsTheSameByWayOfAnyLink() throws {
        let real = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder)
        #expect(AbsolutePath.of(folder + "/link/none.csv") == real + "/none.csv")
        #expect(AbsolutePath.of(folder + "//none.csv") == real + "/none.csv")
        try Data().write(to: URL(fileURLWithPath: folder + "/there.csv"))
        try FileManager.default.createSymbolicLink(atPath: folder + "/other.csv", withDestinationPath: "there.csv")
        #expect(AbsolutePath.of(folder + "/link/other.csv") == real + "/there.csv")
        #expect(AbsolutePath.of("/none.csv") == "/none.csv" && AbsolutePath.of("none.csv").hasPrefix("/"))
    }

    // MARK: A run

    @Test func aPushOfAnEarlierRunIsUnknownUnlessItIsAnswered() throws {
        let journal = try journal()
        try journal.begin(Self.campaign)
        let run = RunJournal(journal, open: [2: id(2), 3: id(3)], isDurable: false)
        var failed = OutcomeRow(line: 2, token: "a", PushOutcome(.failed, reason: "cancelled"))
        run.collect(&failed)
        #expect(failed.kind == .unknown && failed.reason == "interrupted" && failed.certainty == .unknown)
        #expect(failed.apnsID == id(2) && failed.attempts == 1)
        var delivered = OutcomeRow(line: 3, token: "a", PushOutcome(.delivered, apnsID: id(3), attempts: 1))
        run.collect(&delivered)
        #expect(delivered.kind == .delivered && delivered.attempts == 2)
        var other = OutcomeRow(line: 4, token: "a", PushOutcome(.failed, reason: "cancelled"))
        run.collect(&other)
        #expect(other.reason == "cancelled")
        try run.commit(outcomesSize: 100)
        #expect(try journal.state().settled.count == 3)
    }

    @Test func afterAFailureNothingMoreIsCommitted() throws {
        let journal = try journal()
        try journal.begin(Self.campaign)
        let run = RunJournal(journal, open: [:], isDurable: false)
        try Database(path).execute("ALTER TABLE batches RENAME TO lost")
        #expect(throws: CommandError.self) { try run.commit(self.intents(2...3), outcomesSize: 90) }
        try Database(path).execute("ALTER TABLE lost RENAME TO batches")
        #expect(throws: CommandError.self) { try run.commit(self.intents(4...5), outcomesSize: 99) }
        run.finish(unoffered: 2, records: 9)
        #expect(try journal.campaign() == Self.campaign && journal.state().open.isEmpty)
    }
}
