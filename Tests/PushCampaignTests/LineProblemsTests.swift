import Testing

@testable import PushCampaign

@Suite struct LineProblemsTests {
    @Test func onlyTheFirstOnesArePrinted() {
        var problems = LineProblems(inputName: "in.csv", most: 2)
        let first = problems.report(line: 7, "bad\nthing", reason: "invalid_input")
        #expect(first == "in.csv, line 7: bad thing")
        #expect(problems.report(line: 8, "p", reason: "expired") != nil)
        #expect(problems.remainder == nil)
        #expect(problems.report(line: 9, "p", reason: "expired") == nil)
        #expect(problems.remainder == "in.csv: 1 more record was not pushed: 1 expired")
    }

    @Test func theOthersAreCountedByTheReasonInTheirRows() {
        var problems = LineProblems(inputName: "in.csv", most: 0)
        for line in 2..<1_002 { _ = problems.report(line: line, "has \(line) bytes", reason: "payload_too_large") }
        for line in 1_002..<1_005 {
            _ = problems.report(line: line, "the header has 4 columns, the record \(line)", reason: "invalid_input")
        }
        #expect(
            problems.remainder
                == "in.csv: 1,003 more records were not pushed: 1,000 payload_too_large, "
                + "3 invalid_input (the header has 4 columns, the record …)")
    }

    @Test func theNumbersOfTheRuleAreKept() {
        var problems = LineProblems(inputName: "in.csv", most: 0)
        for priority in ["7", "8", "high", "70", "high"] {
            _ = problems.report(
                line: 2, "priority \(priority) is not valid: it must be 1, 5 or 10", reason: "invalid_input")
        }
        #expect(
            problems.remainder
                == "in.csv: 5 more records were not pushed: 3 invalid_input (priority … is not valid: it must be 1, 5 or 10), "
                + "2 invalid_input (priority high is not valid: it must be 1, 5 or 10)")
    }

    @Test func thereAreNotMoreKindsThanAPersonReads() {
        var problems = LineProblems(inputName: "in.csv", most: 0)
        let letters = "abcdefghijklmnopqrstuvwxyz"
        for letter in letters { _ = problems.report(line: 2, "is \(letter)", reason: "invalid_input") }
        #expect(
            problems.remainder
                == "in.csv: 26 more records were not pushed: 10 others, 1 invalid_input (is a), "
                + "1 invalid_input (is b), 1 invalid_input (is c), 1 invalid_input (is d), …")
    }
}
