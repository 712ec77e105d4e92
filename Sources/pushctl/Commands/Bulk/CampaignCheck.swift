import PushTerminal
import SupervisedPush

/// Reads records, and checks each as if it were pushed.
struct CampaignCheck {
    /// What a check has found.
    struct Findings: Sendable {
        var records = 0
        var valid = 0
        /// How many are not valid, by the reason in their rows.
        var invalid = Tally()
        /// The sizes of the valid ones' payloads, in bytes.
        var bytes: ClosedRange<Int>?
        /// The first valid one.
        var first: Push?
        /// The line about those that are not valid and were not reported.
        var remainder: String?
    }

    private let defaults: RequestDefaults
    private let requiresTopic: Bool
    private let plan: RecordPlan?
    private let limit: Int
    private let say: @Sendable (String) -> Void
    private var pusher: RecordPusher
    private var review: StrictReview?
    private var problems: LineProblems
    private var findings = Findings()
    /// The header fields of the latest record, which most records share.
    private var template: HeadTemplate?

    /// - Parameter defaults: Those of the connection.
    init(
        _ options: BulkFlags, _ content: SharedContent, _ defaults: RequestDefaults, _ plan: RecordPlan?,
        inputName: String, say: @escaping @Sendable (String) -> Void
    ) {
        let campaign = options.campaign
        self.defaults = defaults
        requiresTopic = options.connection.key != nil
        self.plan = plan
        // A run with a journal goes on behind the limit of the one before.
        limit = campaign.strict && options.resume.journal != nil ? .max : campaign.limit ?? .max
        self.say = say
        pusher = RecordPusher(content, campaign)
        review = StrictReview(content, campaign)
        problems = LineProblems(inputName: inputName)
    }

    /// - Parameter next: The next record; nil at the end.
    mutating func run(_ next: () throws(CommandError) -> InputRecord?) throws(CommandError) -> Findings {
        while findings.records < limit, let record = try next() {
            if plan?.decision(line: record.line) == .skip { continue }
            findings.records += 1
            do throws(RecordPusher.Problem) {
                note(try check(record))
            } catch {
                findings.invalid.count(.failed, reason: error.reason)
                if let line = problems.report(line: record.line, error.sentence, reason: error.reason) { say(line) }
            }
        }
        findings.remainder = problems.remainder
        return findings
    }

    private mutating func note(_ push: Push) {
        findings.valid += 1
        let size = push.notification.payload.count
        let known = findings.bytes ?? size...size
        findings.bytes = min(known.lowerBound, size)...max(known.upperBound, size)
        if findings.first == nil { findings.first = push }
    }

    private mutating func check(_ record: InputRecord) throws(RecordPusher.Problem) -> Push {
        let push = try pusher.push(of: record)
        let notification = push.notification
        let template =
            template.flatMap { $0.fits(notification) ? $0 : nil } ?? HeadTemplate(notification, defaults: defaults)
        self.template = template
        do throws(InvalidPush) {
            try RequestHead(template, to: push.deviceToken, apnsID: nil)
                .check(payloadBytes: notification.payloadBytes, requiresTopic: requiresTopic)
        } catch {
            let isTooLarge = error.code == .payloadTooLarge
            throw RecordPusher.Problem("\(error)", reason: isTooLarge ? "payload_too_large" : "invalid_input")
        }
        try review?.check(push, of: record)
        return push
    }
}
