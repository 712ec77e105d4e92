import PushCampaign
import PushTerminal
import SupervisedPush

/// `pushctl bulk --dry-run`: the first request, and what a check of all records has found.
struct BulkDryRun {
    private let config: PushConnection.Configuration
    private let findings: CampaignCheck.Findings

    init(_ config: PushConnection.Configuration, _ findings: CampaignCheck.Findings) {
        self.config = config
        self.findings = findings
    }

    /// Also reads and checks the key or certificate, if there is a request.
    func report(isJSON: Bool) throws(CommandError) {
        if let first = findings.first {
            try DryRun(config, notification: first.notification, to: .device(first.deviceToken)).report(isJSON: isJSON)
            if !isJSON { try OutputFile.standardOutput.write([ASCII.lineFeed]) }
        }
        try OutputFile.standardOutput.write(isJSON ? json : Array(text.utf8))
    }

    private var reasons: [(reason: String, count: Int)] { findings.invalid.reasons(of: .failed) }

    private var text: String {
        let counts = [findings.records, findings.valid, findings.invalid.total].map(Figures.grouped)
        let width = counts.map(\.count).max() ?? 0
        let sizes = findings.bytes.map { bytes in
            bytes.count == 1 ? "\(bytes.lowerBound) bytes each" : "\(bytes.lowerBound) to \(bytes.upperBound) bytes"
        }
        let reasons = reasons.map { "\($0.reason) \(Figures.grouped($0.count))" }.joined(separator: ", ")
        let notes = ["", sizes ?? "", reasons]
        let rows = zip(["records", "valid", "invalid"], zip(counts, notes)).reduce(into: "") { text, row in
            let (name, (count, note)) = row
            let padding = String(repeating: " ", count: 10 - name.count + width - count.count)
            text += "\(name)\(padding)\(count)\(note.isEmpty ? "" : "  \(note)")\n"
        }
        return rows + DryRunTokens.text(duplicates: findings.duplicates, findings.leftOut)
    }

    private var json: [UInt8] {
        var object = JSONLine()
        object.add("records", findings.records)
        object.add("valid", findings.valid)
        object.add("invalid", findings.invalid.total)
        if !reasons.isEmpty { object.add("invalid_reasons", reasons.map { ($0.reason, $0.count) }) }
        DryRunTokens.add(to: &object, duplicates: findings.duplicates, findings.leftOut)
        object.add("bytes_min", findings.bytes?.lowerBound)
        object.add("bytes_max", findings.bytes?.upperBound)
        return object.line
    }
}

/// What a dry run says of records whose tokens are there more than once, or are left out.
enum DryRunTokens {
    static func text(duplicates: Int, _ leftOut: TokenFilter.Counts) -> String {
        var text = leftOut.text.map { $0 + "\n" } ?? ""
        if duplicates > 0 {
            let count = Figures.counted(duplicates, one: "record has", many: "records have")
            text += "\(count) the token of an earlier one; --dedupe leaves out such records\n"
        }
        return text
    }

    static func add(to object: inout JSONLine, duplicates: Int, _ leftOut: TokenFilter.Counts) {
        object.add("duplicates", duplicates + leftOut.duplicates)
        object.add("left_out", leftOut.duplicates + leftOut.excluded)
    }
}
