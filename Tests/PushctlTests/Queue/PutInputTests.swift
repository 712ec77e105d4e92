import Foundation
import PushCampaign
import PushTerminal
import SupervisedPush
import Testing

@testable import pushctl

/// What `queue put` makes of records.
@Suite(.timeLimit(.minutes(5))) struct PutInputTests {
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
        tally.add(batch)
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

    @Test func aRecordThatCannotBePutIsNoDuplicateAndHidesNone() async throws {
        let text = "token,priority\naabb01,x\naabb01,5\naabb01,5\n,5\n,5\n"
        let batch = try await batch(text, ["--dedupe"])
        #expect(batch.tokens == 1 && batch.invalid.map(\.line) == [2, 5, 6] && batch.leftOut.duplicates == 1)
    }

    @Test(arguments: [";", "|", "tab"]) func theDelimiterIsAFlag(_ sign: String) async throws {
        let text = "token;topic\naabb01;com.example.a,b\n".replacing(";", with: sign == "tab" ? "\t" : sign)
        let batch = try await batch(text, ["--delimiter", sign])
        #expect(batch.groups.first?.notification.topic?.rawValue == "com.example.a,b" && batch.invalid.isEmpty)
    }

    @Test func ownHeadersAreThoseOfTheEntry() async throws {
        let flags = ["--header", "x-tenant: one", "--header", "x-trace:a: b"]
        let batch = try await batch("token\naabb01\n", flags)
        #expect(batch.groups.first?.notification.headers == ["x-tenant": "one", "x-trace": "a: b"])
    }

    @Test(
        arguments: [
            (["--delimiter", "ab"], "--delimiter is not valid"), (["--delimiter", "\""], "--delimiter is not valid"),
            (["--delimiter", ";", "--format", "ndjson"], "goes with CSV"), (["--header", "secret"], "has no colon"),
            (["--header", "apns-topic: a"], "--header: "),
        ])
    func wrongFlagsOfInputAndHeadersAreNamed(flags: [String], words: String) {
        for error in [
            #expect(throws: CommandError.self) {
                try PutFlags.parsed(["a.csv", "--queue", "q.db", "--body", "b"] + flags)
            },
            #expect(throws: CommandError.self) {
                try BulkFlags.parsed(["a.csv", "--certificate", "c", "--body", "b"] + flags)
            },
        ] {
            #expect(error?.status == .usage && error?.message.contains(words) == true, "\(error as Any)")
            #expect(error?.message.contains("secret") == false)
        }
    }

    @Test func aPayloadOfAllWithoutAPSIsRefusedUnlessTheRuleIsWaived() async throws {
        let payload = scratch.path + ".json"
        try Data(#"{"rules":[]}"#.utf8).write(to: URL(fileURLWithPath: payload))
        defer { try? FileManager.default.removeItem(atPath: payload) }
        try Data("token\naabb01\n".utf8).write(to: URL(fileURLWithPath: scratch.path))
        for (flags, isRefused) in [([], true), (["--waive", "content"], false), (["--push-type", "voip"], false)] {
            let arguments = [scratch.path, "--queue", "q.db", "--format", "csv", "--payload", payload] + flags
            let input = try PutInput(PutFlags.parsed(arguments))
            do throws(CommandError) {
                try await input.open()
                #expect(!isRefused)
            } catch {
                #expect(isRefused && error.status == .usage)
                #expect(error.message.contains("there is no aps") && error.message.contains("--waive content"))
            }
        }
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
