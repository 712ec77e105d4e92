/// Reviews the payloads of the first records, and reports each finding once. A campaign's payloads are alike, so the first
/// ones show a mistake, and reviewing all would cost as much as pushing them.
struct RecordReview: Sendable {
    private static let mostFindings = 5

    /// How many payloads are still reviewed.
    private var left: Int
    private var known: Set<String> = []
    private let report: @Sendable (_ line: Int, _ finding: String) -> Void

    init(payloads: Int = 1_000, report: @escaping @Sendable (_ line: Int, _ finding: String) -> Void) {
        left = payloads
        self.report = report
    }

    mutating func look(at payload: [UInt8], type: String?, line: Int) {
        guard left > 0 else { return }
        left -= 1
        for finding in PayloadReview.findings(in: payload, type: type) where known.insert(finding).inserted {
            report(line, finding)
            if known.count == Self.mostFindings { left = 0 }
        }
    }
}
