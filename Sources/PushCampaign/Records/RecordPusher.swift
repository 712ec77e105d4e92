import PushTerminal
import SupervisedPush

/// Makes pushes from records. What records share is made once: a million pushes share one payload, and so do those
/// whose payload is the same as in the record before.
struct RecordPusher: Sendable {
    private let content: RecordContent
    /// The latest notification of a record's own payload.
    private var latest: PushNotification?
    /// Nil: no payload is reviewed.
    var review: RecordReview?

    /// - Parameter content: For records that lack it.
    init(_ content: RecordContent) { self.content = content }

    private var headers: RecordContent.Headers { content.headers }

    /// The push of a record; throws if the record cannot be pushed.
    ///
    /// - Parameter id: Its apns-id, if the record has none; nil leaves that to the library.
    mutating func push(of record: InputRecord, id: APNSID? = nil) throws(RecordProblem) -> Push {
        if let problem = record.problem { throw RecordProblem(problem) }
        if let problem = record.expiration.flatMap({ PastExpiration.problem($0, now: UTC.now) }) {
            throw RecordProblem(problem, reason: "expired")
        }
        do {
            return Push(try notification(of: record, id), to: try DeviceToken(record.token))
        } catch let problem as RecordProblem {
            throw problem
        } catch let unfilled as Template.Unfilled {
            throw RecordProblem(unfilled)
        } catch {
            // The library's sentences say what is wrong and show nothing of the push.
            throw RecordProblem("\(error)")
        }
    }

    private mutating func notification(of record: InputRecord, _ id: APNSID?) throws -> PushNotification {
        guard var notification = try notification(record) else {
            throw RecordProblem("the record has no payload, and there is none for all records")
        }
        if let id { notification.apnsID = .fixed(id) }
        if let ttl = headers.timeToLive, record.expiration == nil, notification.expiration == nil {
            notification.expiration = Expiration(unixSeconds: UTC.now + ttl)
        }
        if let template = content.collapseID, record.collapseID == nil {
            let text = String(decoding: try template.filled(record.values), as: UTF8.self)
            notification.collapseID = try CollapseID(text, maxBytes: headers.maxCollapseIDBytes)
        }
        guard record.hasHeaders else { return notification }
        if let topic = record.topic { notification.topic = Topic(rawValue: topic) }
        if let collapseID = record.collapseID {
            notification.collapseID = try CollapseID(collapseID, maxBytes: headers.maxCollapseIDBytes)
        }
        if let text = record.apnsID {
            guard let id = APNSID(text) else { throw RecordProblem("apns_id is not a UUID") }
            notification.apnsID = .fixed(id)
        }
        if let expiration = record.expiration { notification.expiration = Expiration(unixSeconds: expiration) }
        if let priority = record.priority {
            guard headers.waived.contains(.priority) || RecordPriority.known.contains(priority) else {
                throw RecordProblem(RecordPriority.problem("\(priority)"))
            }
            notification.priority = PushPriority(rawValue: priority)
        }
        if let type = record.pushType { notification.pushType = PushType(rawValue: type) }
        return notification
    }

    /// The notification without the record's headers.
    private mutating func notification(_ record: InputRecord) throws -> PushNotification? {
        guard let payload = record.payload else {
            switch content.payload {
            case .same(let notification): return notification
            case .filled(let template): return try template.notification(record.values)
            case nil: return nil
            }
        }
        if let latest, latest.payload.bytes == payload { return latest }
        let notification = try content.notification(of: payload)
        let type = record.pushType ?? headers.pushType
        review?.look(at: payload, type: type, line: record.line)
        latest = notification
        return notification
    }
}

extension InputRecord {
    fileprivate var hasHeaders: Bool {
        topic != nil || collapseID != nil || apnsID != nil || expiration != nil || priority != nil || pushType != nil
    }
}

/// The priorities that APNs knows.
package enum RecordPriority {
    package static let known = [1, 5, 10]

    /// What is wrong with a record's priority.
    package static func problem(_ text: String) -> String {
        "priority \(text.shortened(to: 8)) is not valid: it must be 1, 5 or 10"
    }
}

/// Why a record is not pushed.
package struct RecordProblem: Error {
    /// What is wrong; shows names, no values.
    package let sentence: String
    /// The reason in its row.
    package let reason: String

    package init(_ sentence: String, reason: String = "invalid_input") {
        self.sentence = sentence
        self.reason = reason
    }

    init(_ unfilled: Template.Unfilled) {
        self.init(unfilled.sentence, reason: unfilled == .tooLong ? "payload_too_large" : "invalid_input")
    }

    /// A push that breaks a rule.
    init(_ error: InvalidPush) {
        self.init("\(error)", reason: error.code == .payloadTooLarge ? "payload_too_large" : "invalid_input")
    }
}

/// An apns-expiration that has passed before the push is made: APNs would never see the push.
package enum PastExpiration {
    /// What is wrong, as the end of a sentence; nil for a future time, for 0, which means a single attempt, and for
    /// invalid times.
    ///
    /// - Parameters:
    ///   - expiration: UNIX seconds.
    ///   - now: UNIX seconds.
    package static func problem(_ expiration: Int64, now: Int64) -> String? {
        guard expiration > 0, expiration <= now else { return nil }
        return "expired \(UTC.text(expiration)), before it was sent"
    }
}
