import PushCampaign
import PushTerminal
import SupervisedPush
import Testing

@testable import pushctl

@Suite struct ResumeOptionsTests {
    private static let connection = ["--key", "AuthKey_ABC123DEFG.p8", "--team-id", "T", "--topic", "t"]

    private func parse(_ arguments: [String]) throws -> BulkFlags { try BulkFlags.parsed(arguments + Self.connection) }

    @Test func aJournalGoesWithAnInputFileAndAnOutcomesFile() throws {
        let flags = try parse(["in.csv", "--journal", "j", "--outcomes", "o.csv", "--fsync"])
        #expect(flags.resume.journal == "j" && flags.resume.fsync)
    }

    @Test(arguments: [
        ["-", "--journal", "j", "--outcomes", "o.csv"],
        ["in.csv", "--journal", "j"],
        ["in.csv", "--journal", "j", "--outcomes", "-"],
        ["in.csv", "--journal", "", "--outcomes", "o.csv"],
        ["in.csv", "--journal", "o.csv", "--outcomes", "o.csv"],
        ["in.csv", "--journal", "j", "--outcomes", "o.csv", "--append"],
        ["in.csv", "--journal", "j", "--outcomes", "o.csv", "--overwrite"],
        ["in.csv", "--journal", "j", "--outcomes", "o.csv", "--from-line", "3"],
        ["in.csv", "--journal", "j", "--outcomes", "o.csv", "--skip-done", "d.csv"],
        ["in.csv", "--fsync"], ["in.csv", "--from-line", "0"], ["in.csv", "--skip-done", ""],
    ])
    func whatMakesNoSenseIsAUsageError(_ arguments: [String]) {
        let error = #expect(throws: CommandError.self) { try parse(arguments) }
        #expect(error?.status == .usage)
    }

    @Test func skippingNeedsNoJournal() throws {
        let flags = try parse(["-", "--from-line", "7", "--skip-done", "a.csv", "--skip-done", "b.csv"])
        #expect(flags.resume.fromLine == 7 && flags.resume.skipDone == ["a.csv", "b.csv"])
    }

    @Test func aRunThatGoesOnSaysHowManyHaveFailedAndHowToPushThem() {
        var earlier = Tally()
        earlier.count(.delivered, times: 1_200)
        let line =
            "the journal has the outcomes of 1,200 records; going on with the others"
            + ". Skipping 1,200 delivered"
        #expect(BulkProgram.resumeLine(earlier, input: "in.csv", outcomes: "o.csv") == line)
        earlier.count(.failed, reason: "timed_out", times: 34)
        let words = "34 failed, and are not pushed again; after the last run, bulk in.csv --skip-done o.csv"
        #expect(BulkProgram.resumeLine(earlier, input: "in.csv", outcomes: "o.csv").contains(words))
        var again = Tally()
        again.count(.rejected, reason: "BadTopic", times: 3)
        let more = ". Pushing 3 again: 3 rejected (BadTopic 3)"
        #expect(BulkProgram.resumeLine(earlier, again: again, input: "in.csv", outcomes: "o.csv").contains(more))
    }
}
