import PushTerminal
import Testing

@testable import pushctl

/// What the program says of arguments that it does not know, or that are not valid.
@Suite struct UsageErrorTests {
    private func command(_ words: String) -> String? {
        UnknownName.command(in: words.split(separator: " ").map(String.init), of: Pushctl.self)?.message
    }

    private func option(_ words: String) -> String? {
        UnknownName.option(in: words.split(separator: " ").map(String.init), of: Pushctl.self)?.message
    }

    @Test func aCommandThatDoesNotExistIsAnErrorWithTheNearestName() {
        for words in ["bulkk", "bulkk x", "bulkk --help", "help bulkk"] {
            #expect(command(words) == "There is no command 'bulkk'; did you mean bulk? See --help.", "\(words)")
        }
        #expect(
            command("channels creat --json")
                == "There is no command 'channels creat'; did you mean create? See --help.")
        #expect(command("help journal stats")?.contains("did you mean status?") == true)
        #expect(command("frobnicate") == "There is no command 'frobnicate'. See --help.")
    }

    @Test(arguments: [
        "", "--help", "--version", "help", "help send", "help channels list", "send aabb", "bulk bulkk --limit 2",
        "journal status file", "channels", "simulate -- echo help",
    ])
    func aCommandThatExistsIsNoError(_ words: String) { #expect(command(words) == nil) }

    @Test func aMisspeltOptionIsNamedBeforeWhatIsMissing() async throws {
        #expect(option("send aabb --bdoy x") == "Unknown option '--bdoy'; did you mean --body? See --help.")
        #expect(option("bulk x --jornal=j") == "Unknown option '--jornal'; did you mean --journal? See --help.")
        #expect(option("channels list --frobnicate") == "Unknown option '--frobnicate'. See --help.")
    }

    @Test(arguments: [
        "send aabb --body --bdoy", "send aabb --body=--bdoy", "simulate -- echo --bdoy", "bulk x --help",
        "demo --version",
        "bulk - --overwrite --outcomes x",
    ])
    func valuesAreNotTakenForOptions(_ words: String) { #expect(option(words) == nil) }

    @Test func anInvalidValueIsSaidWithWhatWouldBeValid() {
        let timeout = ValueHint.completed("The value '5s' is invalid for '--timeout <timeout>'", [])
        #expect(timeout.hasSuffix("'--timeout <timeout>'; give seconds from 0 to 604800, such as 10 or 0.5"))
        let range = ValueHint.completed("The value '5...2' is invalid for '--connections <n>'", [])
        #expect(range.hasSuffix("; give a number, or the least and the most: 4 or 2...8"))
        let rate = "The value '20000000' is invalid for '--rate <n>'"
        #expect(ValueHint.completed(rate, ["worker"]).contains("from 0.001 to 10000000"))
        #expect(ValueHint.completed(rate, ["bulk"]).hasSuffix("from 1 to 1000000"))
        let port = "The value 'x' is invalid for '--port <port>'"
        #expect(ValueHint.completed(port, ["simulate"]).contains("from 0 to 65535"))
        #expect(ValueHint.completed(port, ["send"]).contains("from 1 to 65535"))
        // Others have no hint, or say it themselves.
        for message in [
            "The value 'x' is invalid for '--fit <fit>'. Please provide one of 'a' and 'b'.", "No payload.",
        ] {
            #expect(ValueHint.completed(message, []) == message)
        }
    }

    @Test func aNegativeNumberIsNotCalledAMissingValue() {
        let missing = "Missing value for '--badge <badge>'"
        #expect(
            ValueHint.completed(missing, ["send", "aabb", "--badge", "-1"])
                == "The value '-1' is invalid for '--badge <badge>'; give a whole number; 0 clears it")
        #expect(ValueHint.completed(missing, ["send", "aabb", "--badge"]) == missing)
        #expect(ValueHint.completed(missing, ["send", "--badge", "--body", "x"]) == missing)
    }
}

extension ProgramTests {
    @Suite(.timeLimit(.minutes(5))) struct UsageErrorProgramTests {
        @Test func theProgramSaysSoWith64() async throws {
            for (arguments, words) in [
                (["bulkk", "--help"], "did you mean bulk?"), (["help", "bulkk"], "did you mean bulk?"),
                (["bulk", "x", "--jornal", "j"], "did you mean --journal?"),
                (["demo", "--pushes", "-1"], "'-1' is invalid"),
                (["send", "aabb", "--body", "x", "--timeout", "5s"], "give seconds"),
                (["send", "aabb", "--body", "x", "--relevance-score", "2"], "--relevance-score 2 is out of range"),
                (
                    ["send", "aabb", "--body", "x", "--expiration", "1"],
                    "expired 1970-01-01 00:00:01 UTC, before it was sent"
                ),
            ] {
                let end = try await Stage.run(arguments)
                #expect(end.status == 64 && end.output.isEmpty && end.errors.count == 1, "\(arguments)")
                #expect(end.errors.first?.contains(words) == true, "\(end.errors)")
            }
        }
    }
}
