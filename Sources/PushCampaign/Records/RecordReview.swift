import PushReview
import SupervisedPush

/// Reviews the payloads of the first records, and reports each finding once. A campaign's payloads are alike, so the first
/// ones show a mistake, and reviewing all would cost as much as pushing them.
package struct RecordReview: Sendable {
    private static let mostFindings = 5

    /// How many payloads are still reviewed.
    private var left: Int
    private var known: Set<String> = []
    private let report: @Sendable (_ line: Int, _ finding: String) -> Void

    package init(payloads: Int = 1_000, report: @escaping @Sendable (_ line: Int, _ finding: String) -> Void) {
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

/// Refuses a record with a payload that no device would understand, of its own or with its values.
struct StrictReview: Sendable {
    private let pushType: String?
    /// Whether the payload of all records has values of the record.
    private let isFilled: Bool
    /// The latest payload, and what is to be said about it.
    private var latest: (payload: [UInt8], finding: String?)?

    init(_ content: RecordContent) {
        pushType = content.headers.pushType
        isFilled = content.payload != nil && !content.names.isEmpty
    }

    mutating func check(_ push: Push, of record: InputRecord) throws(RecordProblem) {
        guard let payload = record.payload ?? (isFilled ? push.notification.payload.bytes : nil),
            let finding = finding(in: payload, record.pushType ?? pushType)
        else { return }
        throw RecordProblem(finding)
    }

    private mutating func finding(in payload: [UInt8], _ type: String?) -> String? {
        if let latest, latest.payload == payload { return latest.finding }
        let finding = PayloadReview.findings(in: payload, type: type).first.map { "payload: \($0)" }
        latest = (payload, finding)
        return finding
    }
}
