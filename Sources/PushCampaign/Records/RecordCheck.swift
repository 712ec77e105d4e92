import SupervisedPush

/// Decides whether a record can be pushed, before it is: for `--strict`, `--dry-run`, and for records that go into a queue.
package struct RecordCheck: Sendable {
    private let defaults: RequestDefaults
    private let requiresTopic: Bool
    private var pusher: RecordPusher
    private var strict: StrictReview?
    /// The header fields of the latest record, which most records share.
    private var template: HeadTemplate?

    /// - Parameters:
    ///   - defaults: The headers of a push that has none: the connection's, or a queue entry's.
    ///   - requiresTopic: Whether a push without a topic is refused.
    ///   - isStrict: Whether a record is refused whose payload no device would understand.
    package init(_ content: RecordContent, defaults: RequestDefaults, requiresTopic: Bool, isStrict: Bool) {
        self.defaults = defaults
        self.requiresTopic = requiresTopic
        pusher = RecordPusher(content)
        strict = isStrict ? StrictReview(content) : nil
    }

    /// Reports what no device would understand of the first records' payloads; nil, the default, for none of it.
    package var review: RecordReview? {
        get { pusher.review }
        set { pusher.review = newValue }
    }

    /// The push of a record that can be pushed.
    package mutating func push(of record: InputRecord) throws(RecordProblem) -> Push {
        let push = try pusher.push(of: record)
        let notification = push.notification
        let template =
            template.flatMap { $0.fits(notification) ? $0 : nil } ?? HeadTemplate(notification, defaults: defaults)
        self.template = template
        do throws(InvalidPush) {
            try RequestHead(template, to: push.deviceToken, apnsID: nil)
                .check(payloadBytes: notification.payloadBytes, requiresTopic: requiresTopic)
        } catch {
            throw RecordProblem(error)
        }
        try strict?.check(push, of: record)
        return push
    }
}
