import SupervisedPush
import Testing

@testable import PushCampaign

/// The parts of a journal that know no database.
@Suite struct JournalPartsTests {
    private static let one = APNSID(high: 1, low: 2)
    private static let other = APNSID(high: 3, low: .max)

    @Test func aPlanSkipsWhatIsDoneAndWhatComesBefore() {
        var plan = RecordPlan(firstLine: 5)
        plan.settled.insert(7)
        let decisions = (3...8).map { plan.decision(line: $0) }
        #expect(decisions == [.skip, .skip, .push, .push, .skip, .push])
    }

    @Test func whatWasUnderWayIsPushedAgainOnlyIfAsked() {
        var plan = RecordPlan(open: [4: Self.one, 5: Self.one])
        plan.settled.insert(5)
        #expect(plan.decision(line: 4) == .interrupted(Self.one) && plan.decision(line: 5) == .skip)
        plan.pushesAgain = true
        #expect(plan.decision(line: 4) == .pushAgain(Self.one) && plan.decision(line: 5) == .skip)
    }

    @Test func aSetHoldsEachLineOnce() {
        var lines = LineSet()
        for line in [1, 63, 64, 65, 1, .max, 64] { lines.insert(line) }
        #expect(lines.count == 5 && !lines.insert(65))
        #expect([1, 63, 64, 65, .max].allSatisfy(lines.contains))
        #expect(![0, 2, 62, 66, 127].contains(where: lines.contains))
        lines.remove(64)
        lines.remove(66)
        #expect(lines.count == 4 && !lines.contains(64) && lines.contains(63))
    }

    @Test func linesReadBackAsTheyWereWritten() {
        var text: [UInt8] = []
        for line in [2, 1_234_567_890_123, 1] { JournalText.append(line, to: &text) }
        text.append(JournalText.closeBracket)
        #expect(String(decoding: text, as: UTF8.self) == "[2,1234567890123,1]")
        #expect(lines(String(decoding: text, as: UTF8.self)) == [2, 1_234_567_890_123, 1])
    }

    @Test(arguments: ["", "[", "[]", "[1", "[1,]", "[1]x", "{1}", "[-1]", "[1234567890123456789]"])
    func textThatIsNoArrayOfLinesIsDamage(text: String) { #expect(lines(text) == nil) }

    private func lines(_ text: String) -> [Int]? {
        var lines: [Int] = []
        let isWhole = Array(text.utf8).withUnsafeBytes { JournalText.forEachLine($0) { lines.append($0) } }
        return isWhole ? lines : nil
    }

    @Test func intentsReadBackAsTheyWereWritten() {
        let intents = [Intent(line: 2, apnsID: Self.one), Intent(line: 9, apnsID: Self.other)]
        let text = String(decoding: JournalText.intents(intents), as: UTF8.self)
        #expect(text == #"{"2":"\#(Self.one)","9":"\#(Self.other)"}"#)
        #expect(self.intents(text) == intents)
    }

    @Test(arguments: ["", "{}", #"{"2"}"#, #"{"2":"x"}"#, #"{"2":"00000000-0000-0001-0000-000000000002""#])
    func textThatHoldsNoIntentsIsDamage(text: String) { #expect(intents(text) == nil) }

    private func intents(_ text: String) -> [Intent]? {
        var intents: [Intent] = []
        let isWhole = Array(text.utf8).withUnsafeBytes { bytes in
            JournalText.forEachIntent(bytes) { line, id in
                if let id = APNSID(utf8: id) { intents.append(Intent(line: line, apnsID: id)) }
            }
        }
        return isWhole ? intents : nil
    }

    @Test func resultsAreGroupedByOutcomeAndReason() {
        var results = JournalResults()
        for line in [4, 3] { results.add(line: line, .delivered, reason: nil) }
        results.add(line: 5, .rejected, reason: "Unregistered")
        results.add(line: 6, .rejected, reason: "BadDeviceToken")
        results.add(line: 7, .rejected, reason: "Unregistered")
        #expect(results.count == 5)
        let groups = results.takeAll().map { "\($0.key.reason ?? "-") \($0.group.count) \(text($0.group.lines))" }
        #expect(Set(groups) == ["- 2 [4,3]", "Unregistered 2 [5,7]", "BadDeviceToken 1 [6]"])
        #expect(results.count == 0 && results.takeAll().isEmpty)
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func theIDsOfABatchDiffer() {
        var ids = RandomIDs()
        let made = (0..<1000).map { _ in ids.makeID() }
        #expect(Set(made).count == 1000 && made.allSatisfy { $0.high >> 12 & 0xF == 4 && $0.low >> 62 == 2 })
    }

    // MARK: The end of an outcomes file

    private func adopt(_ text: String, _ state: inout Journal.State) throws -> (JournalResults, UInt64) {
        let (results, end) = try OutcomesTail.adopt(from: 1000, &state, fill: pieces(Array(text.utf8), of: 7))
        return (results, end - 1000)
    }

    private func row(_ line: Int, _ id: APNSID?, _ outcome: PushOutcome.Kind = .delivered) -> String {
        var bytes: [UInt8] = []
        OutcomeRow(line: line, token: "a\"\n", PushOutcome(outcome, certainty: .answered, reason: "r", apnsID: id))
            .appendCSV(to: &bytes)
        return text(bytes)
    }

    @Test func rowsThatTheJournalDoesNotKnowAreAdopted() throws {
        var state = Journal.State(open: [2: Self.one, 3: Self.other, 4: Self.one])
        let rows = row(3, Self.other) + row(2, Self.one, .unknown) + row(9, nil, .failed)
        let (results, end) = try adopt(rows, &state)
        #expect(results.count == 3 && Int(end) == rows.utf8.count)
        #expect(state.open == [4: Self.one] && [2, 3, 9].allSatisfy(state.settled.contains))
    }

    private static func rejected(_ reason: String) -> JournalResults.Key {
        JournalResults.Key(kind: .rejected, reason: reason)
    }

    @Test func aRefusalOfTheSenderIsPushedAgainAndItsLatestOutcomeCounts() {
        var state = Journal.State()
        for line in 2...5 { state.settle(line, Self.rejected("BadTopic")) }
        state.settle(6, Self.rejected("Unregistered"))
        // Line 2 was pushed again and delivered, line 3 refused again, line 4 pushed again without an outcome.
        state.settle(2, JournalResults.Key(kind: .delivered))
        state.settle(3, Self.rejected("http_503"))
        for line in [2, 3, 4, 5, 6, 2, 3, 4] { state.intend(line) { line == 4 ? Self.other : Self.one } }
        #expect(state.open == [4: Self.other] && state.settled.contains(2) && state.settled.contains(6))
        #expect(state.refused.mapValues(\.reason) == [3: "http_503", 5: "BadTopic"])
        #expect(state.tally.text == "1 delivered, 3 rejected (BadTopic 1, Unregistered 1, http_503 1)")
        #expect(state.forgetRefused().text == "2 rejected (BadTopic 1, http_503 1)")
        #expect(state.tally.text == "1 delivered, 1 rejected (Unregistered 1)" && state.refused.isEmpty)
        let plan = RecordPlan(settled: state.settled, open: state.open)
        #expect((2...6).map { plan.decision(line: $0) } == [.skip, .push, .interrupted(Self.other), .push, .skip])
    }

    @Test func whatIsUnknownIsOpenAgainWheneverThatIsAskedFor() {
        var state = Journal.State()
        state.settle(2, JournalResults.Key(kind: .unknown, reason: "interrupted"))
        state.settle(3, JournalResults.Key(kind: .delivered))
        for line in 2...3 { state.intend(line) { Self.one } }
        #expect(state.open.isEmpty && state.settled.count == 2)
        state.reopenUnknown()
        #expect(state.open == [2: Self.one] && state.settled.count == 1 && state.tally.total == 1)
    }

    @Test func aTornRowIsNone() throws {
        let whole = row(2, Self.one)
        let torn = row(3, Self.other)
        for length in 0..<torn.utf8.count {
            var state = Journal.State(open: [2: Self.one, 3: Self.other])
            let (results, end) = try adopt(whole + String(decoding: torn.utf8.prefix(length), as: UTF8.self), &state)
            #expect(results.count == 1 && Int(end) == whole.utf8.count && state.open == [3: Self.other])
        }
    }

    @Test func aRowThatDoesNotFitTheJournalEndsTheOthers() throws {
        // Another id, a push that was never begun, a line that is done, bytes that a lost sector left, no row at all.
        let strangers = [
            row(3, Self.one), row(5, Self.one), row(1, Self.one), String(repeating: "\u{0}", count: 40) + "\n", "x,y\n",
            row(5, nil),
        ]
        for stranger in strangers {
            var state = Journal.State(open: [2: Self.one, 3: Self.other, 4: Self.one])
            state.settle(1, JournalResults.Key(kind: .delivered))
            let (results, end) = try adopt(row(2, Self.one) + stranger + row(4, Self.one), &state)
            #expect(results.count == 1 && Int(end) == row(2, Self.one).utf8.count)
        }
    }

    // MARK: Rows of earlier runs

    @Test func aPushThatMayHaveBeenProcessedIsNotPushedAgain() throws {
        let text =
            OutcomesWriter.header + row(2, Self.one) + row(3, Self.one, .rejected) + row(4, Self.one, .unknown)
            + row(5, nil, .failed) + "6,torn,del\n" + row(7, Self.one)
        var rows = WrittenRows(fill: pieces(Array(text.utf8), of: 11))
        #expect(try rows.readHeader())
        var done: [Int] = []
        repeat {
            while let row = try rows.next() { if row.outcome.isDone { done.append(row.line) } }
        } while try rows.skipLine()
        #expect(done == [2, 3, 4, 7])
    }
}
