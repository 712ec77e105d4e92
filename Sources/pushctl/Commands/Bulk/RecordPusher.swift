import PushTerminal
import SupervisedPush

/// Makes pushes from records. What records share is made once: a million pushes share one payload, and so do those
/// whose payload is the same as in the record before.
struct RecordPusher: Sendable {
    private let shared: SharedContent
    private let ttl: Int64?
    private let pushType: String?
    private let maxCollapseIDBytes: Int
    private let takesAnyPriority: Bool
    /// The latest notification of a record's own payload.
    private var latest: PushNotification?
    /// Nil: no payload is reviewed.
    var review: RecordReview?

    /// - Parameter shared: For records that lack it.
    init(_ shared: SharedContent, _ campaign: CampaignOptions) {
        self.shared = shared
        ttl = campaign.ttl?.seconds
        pushType = campaign.headers.pushType
        maxCollapseIDBytes = campaign.headers.maxCollapseIDBytes
        takesAnyPriority = campaign.headers.waived.contains(.priority)
    }

    /// The push of a record; throws if the record cannot be pushed.
    ///
    /// - Parameter id: Its apns-id, if the record has none; nil leaves that to the library.
    mutating func push(of record: InputRecord, id: APNSID? = nil) throws(Problem) -> Push {
        if let problem = record.problem { throw Problem(problem) }
        if let problem = record.expiration.flatMap({ PastExpiration.problem($0, now: UTC.now) }) {
            throw Problem(problem, reason: "expired")
        }
        do {
            return Push(try notification(of: record, id), to: try DeviceToken(record.token))
        } catch let problem as Problem {
            throw problem
        } catch let unfilled as Template.Unfilled {
            throw Problem(unfilled)
        } catch {
            // The library's sentences say what is wrong and show nothing of the push.
            throw Problem("\(error)")
        }
    }

    struct Problem: Error {
        let sentence: String
        /// The reason in its row.
        let reason: String

        init(_ sentence: String, reason: String = "invalid_input") {
            self.sentence = sentence
            self.reason = reason
        }

        fileprivate init(_ unfilled: Template.Unfilled) {
            self.init(unfilled.sentence, reason: unfilled == .tooLong ? "payload_too_large" : "invalid_input")
        }
    }

    private mutating func notification(of record: InputRecord, _ id: APNSID?) throws -> PushNotification {
        guard var notification = try notification(record) else {
            throw Problem("the record has no payload, and there is no --payload")
        }
        if let id { notification.apnsID = .fixed(id) }
        if let ttl, record.expiration == nil { notification.expiration = Expiration(unixSeconds: UTC.now + ttl) }
        if let template = shared.collapseID, record.collapseID == nil {
            let text = String(decoding: try template.filled(record.values), as: UTF8.self)
            notification.collapseID = try CollapseID(text, maxBytes: maxCollapseIDBytes)
        }
        guard record.hasHeaders else { return notification }
        if let topic = record.topic { notification.topic = Topic(rawValue: topic) }
        if let collapseID = record.collapseID {
            notification.collapseID = try CollapseID(collapseID, maxBytes: maxCollapseIDBytes)
        }
        if let text = record.apnsID {
            guard let id = APNSID(text) else { throw Problem("apns_id is not a UUID") }
            notification.apnsID = .fixed(id)
        }
        if let expiration = record.expiration { notification.expiration = Expiration(unixSeconds: expiration) }
        if let priority = record.priority {
            guard takesAnyPriority || HeaderChecks.priorities.contains(priority) else {
                throw Problem(HeaderChecks.priorityProblem("\(priority)"))
            }
            notification.priority = PushPriority(rawValue: priority)
        }
        if let type = record.pushType { notification.pushType = PushType(rawValue: type) }
        return notification
    }

    /// The notification without the record's headers.
    private mutating func notification(_ record: InputRecord) throws -> PushNotification? {
        guard let payload = record.payload else {
            switch shared.payload {
            case .same(let notification): return notification
            case .filled(let template): return try template.notification(record.values)
            case nil: return nil
            }
        }
        if let latest, latest.payload.bytes == payload { return latest }
        let notification = try PushNotification.raw(payload)
        review?.look(at: payload, type: record.pushType ?? pushType, line: record.line)
        latest = notification
        return notification
    }
}

extension InputRecord {
    fileprivate var hasHeaders: Bool {
        topic != nil || collapseID != nil || apnsID != nil || expiration != nil || priority != nil || pushType != nil
    }
}
