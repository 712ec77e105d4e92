import Foundation
import PushCampaign
import PushTerminal
import SupervisedPush
import Testing

@testable import pushctl

/// What `queue put` makes of records.
@Suite(.timeLimit(.minutes(1))) struct PutInputTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The first batch of an input.
    private func batch(_ text: String, _ flags: [String] = []) async throws -> PutInput.Batch {
        try Data(text.utf8).write(to: URL(fileURLWithPath: scratch.path))
        let arguments = [scratch.path, "--queue", "q.db", "--title", "Hello", "--format", "csv"] + flags
        let input = try PutInput(PutFlags.parsed(arguments))
        try await input.open()
        return try await input.next()
    }

    @Test(arguments: [[], ["--waive", "priority"]])
    func aPriorityThatNoEntryCanHaveIsInvalid(flags: [String]) async throws {
        let batch = try await batch("token,priority\naabb01,7\naabb02,5\n", flags)
        #expect(batch.tokens == 1 && batch.invalid.map(\.line) == [2] && batch.invalid.first?.reason == "invalid_input")
        #expect(batch.problems.first?.contains("line 2: priority 7 is not valid: it must be 1, 5 or 10") == true)
    }

    @Test(arguments: [(1, false), (2, true), (3, true)])
    func aLimitAtTheEndOfTheInputLeavesNothing(limit: Int, endsInput: Bool) async throws {
        let batch = try await batch("token\naabb01\naabb02\n", ["--limit", "\(limit)"])
        #expect(batch.isLast && batch.endsInput == endsInput && batch.tokens == min(limit, 2))
        var tally = PutTally()
        _ = tally.add(batch, seconds: 0)
        #expect(tally.isWhole == endsInput)
    }

    @Test(
        arguments: [
            ("token,payload\naabb01,\"{\"\"order\"\":1}\"\n", [], "line 2: payload: there is no aps"),
            ("token,n\naabb01,x\n", ["--push-type", "alert", "--title", "{{n}}", "--body", "b"], nil),
        ] as [(String, [String], String?)])
    func strictTakesAPayloadThatNoDeviceUnderstandsForInvalid(
        text: String, flags: [String], problem: String?
    ) async throws {
        let batch = try await batch(text, flags + ["--strict"])
        #expect(batch.invalid.count == (problem == nil ? 0 : 1) && batch.tokens == 1 - batch.invalid.count)
        if let problem { #expect(batch.problems.first?.contains(problem) == true, "\(batch.problems)") }
        #expect(try await self.batch(text, flags).invalid.isEmpty)
    }

    @Test func anErrorOfStrictThatIsAQuestionEndsAsOne() async throws {
        let error = await #expect(throws: CommandError.self) {
            _ = try await batch("token,topik\naabb01,\n", ["--strict"])
        }
        #expect(error?.status == .input)
        #expect(error?.message.hasSuffix("did you mean topic? --strict puts nothing then") == true)
    }

    @Test func anIDThatIsNotUsedMayHaveAnyForm() async throws {
        let batch = try await batch("token,apns_id\naabb01,order-7\naabb02,\n")
        #expect(batch.tokens == 2 && batch.groups.count == 1 && batch.invalid.isEmpty)
    }
}
