import PushTerminal
import SupervisedPush

/// Reads the records of a campaign, and checks each as if it were pushed.
package struct CampaignCheck {
    /// What a check has found.
    package struct Findings: Sendable {
        package var records = 0
        package var valid = 0
        /// How many are not valid, by the reason in their rows.
        package var invalid = Tally()
        /// The sizes of the valid ones' payloads, in bytes.
        package var bytes: ClosedRange<Int>?
        /// The first valid one.
        package var first: Push?
        /// How many have the token of an earlier one; counted if that was asked for.
        package var duplicates = 0
        /// How many are left out because of their token.
        package var leftOut = TokenFilter.Counts()
        /// The sentence about those that are not valid and were not reported.
        package var remainder: String?
    }

    private let plan: RecordPlan?
    private let limit: Int
    private let say: @Sendable (String) -> Void
    private var check: RecordCheck
    private var problems: LineProblems
    private var findings = Findings()
    /// Which records are left out because of their token; nil for none.
    package var filter: TokenFilter?
    /// The tokens that were there; nil if duplicates are not counted.
    package var seen: SeenTokens?

    /// - Parameters:
    ///   - plan: Which records are pushed; nil for all.
    ///   - limit: How many records are checked at most; nil for all.
    ///   - say: Receives a sentence about each of the first records that are not valid.
    package init(
        _ check: RecordCheck, plan: RecordPlan?, limit: Int?, inputName: String,
        say: @escaping @Sendable (String) -> Void
    ) {
        self.check = check
        self.plan = plan
        self.limit = limit ?? .max
        self.say = say
        problems = LineProblems(inputName: inputName)
    }

    /// Checks all records of an input that is open, from its beginning, and leaves its reader where it is.
    package mutating func run(
        again source: RecordSource, naming names: [String]
    ) throws(CommandError) -> Findings {
        let file = source.file
        var position: UInt64 = 0
        var reader = try source.reader(of: file) { buffer throws(CommandError) in
            let count = try file.read(at: position, into: buffer)
            position += UInt64(count)
            return count
        }
        try reader.find(names)
        return try run(of: file) { () throws(CommandError) in try reader.next() }
    }

    /// - Parameter next: The next record of the file; nil at the end.
    package mutating func run(
        of file: InputFile, _ next: () throws(CommandError) -> InputRecord?
    ) throws(CommandError) -> Findings {
        while findings.records < limit, let record = try next() {
            // A stopped reader sees the end of its input, perhaps in the middle of a record.
            try Self.refuseStopped(file)
            if try filter?.leavesOut(record) == true { continue }
            if plan?.decision(line: record.line) == .skip { continue }
            findings.records += 1
            do throws(RecordProblem) {
                note(try check.push(of: record))
                if seen?.insert(record.token) == false { findings.duplicates += 1 }
            } catch {
                findings.invalid.count(.failed, reason: error.reason)
                if let line = problems.report(line: record.line, error.sentence, reason: error.reason) { say(line) }
            }
        }
        try Self.refuseStopped(file)
        findings.remainder = problems.remainder
        findings.leftOut = filter?.counts ?? .init()
        return findings
    }

    private static func refuseStopped(_ file: InputFile) throws(CommandError) {
        guard !file.isStopped else { throw .input("\(file.name) was not read: the run was stopped") }
    }

    private mutating func note(_ push: Push) {
        findings.valid += 1
        let size = push.notification.payload.count
        let known = findings.bytes ?? size...size
        findings.bytes = min(known.lowerBound, size)...max(known.upperBound, size)
        if findings.first == nil { findings.first = push }
    }
}
