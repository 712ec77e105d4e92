import PushCampaign
import PushProtocol
import PushTerminal

/// Reads all records of `queue put` without putting them: for `--strict` and `--dry-run`.
struct PutCheck {
    private let flags: PutFlags
    private let input: PutInput

    /// - Parameter input: Open, and not read yet.
    init(_ flags: PutFlags, _ input: PutInput) {
        self.flags = flags
        self.input = input
    }

    /// Opens the input a second time, so that the first reader stays where it is.
    static func again(_ flags: PutFlags) async throws(CommandError) -> PutCheck {
        let input = try PutInput(flags)
        guard input.source.file.identity != nil else {
            throw .usage("--strict reads INPUT twice, but \(input.source.file.name) is not a regular file.")
        }
        try await input.open(isSecond: true)
        return PutCheck(flags, input)
    }

    /// Prints the first request, and how much would be put.
    func dryRun() async throws(CommandError) -> ExitStatus {
        var first: EntryGrouping.Group?
        var (seen, duplicates) = (SeenTokens(), 0)
        let tally = try await check { batch in
            first = first ?? batch.groups.first
            for token in batch.groups.lazy.flatMap(\.tokens) where seen.insert(token.hex) == false { duplicates += 1 }
        }
        if let request = first.flatMap({ PutDryRun($0) }) {
            try OutputFile.standardOutput.write(request.bytes(asJSON: flags.json))
        }
        try OutputFile.standardOutput.write(
            flags.json
                ? tally.json(dryRunWith: duplicates)
                : Array((tally.text + "\n" + DryRunTokens.text(duplicates: duplicates, tally.leftOut)).utf8))
        if flags.campaign.strict, tally.invalid > 0 { throw refusal(tally) }
        return tally.invalid > 0 ? .rejectedOrFailed : .success
    }

    /// - Throws: Exit code 66 if a record is not valid.
    func refuseInvalid() async throws(CommandError) {
        let tally = try await check { _ in }
        if tally.invalid > 0 { throw refusal(tally) }
    }

    private func check(_ look: (PutInput.Batch) -> Void) async throws(CommandError) -> PutTally {
        var tally = PutTally()
        while true {
            let batch = try await input.next()
            for line in batch.problems { StandardError.write(line) }
            look(batch)
            tally.add(batch)
            guard !batch.isLast else { break }
        }
        if let remainder = input.remainder { StandardError.write(remainder) }
        return tally
    }

    private func refusal(_ tally: PutTally) -> CommandError {
        input.review.refusal(invalid: tally.invalid, of: tally.invalid + tally.tokens)
    }
}
