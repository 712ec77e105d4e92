import SupervisedPush

/// Makes pushes from records. What all records share is made once: a million pushes share one payload.
struct RecordPusher: Sendable {
    private let shared: PushNotification?

    /// - Parameter payload: The JSON for records without a payload of their own.
    init(payload: [UInt8]?, name: String) throws(CommandError) {
        guard let payload else {
            shared = nil
            return
        }
        if let problem = JSONScanner.problem(inObject: payload) { throw .input("\(name): the payload \(problem)") }
        do { shared = try .raw(payload) } catch { throw .input("\(name): \(error.description)") }
    }

    /// The push of a record; throws if the record cannot be pushed.
    func push(of record: InputRecord) throws(Problem) -> Push {
        if let problem = record.problem { throw Problem(problem) }
        if let problem = record.expiration.flatMap({ PastExpiration.problem($0, now: UTC.now) }) {
            throw Problem(problem, reason: "expired")
        }
        do {
            let flight = Flight(line: record.line, token: record.token)
            return Push(try notification(of: record), to: try DeviceToken(record.token), context: flight)
        } catch let problem as Problem {
            throw problem
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
    }

    private func notification(of record: InputRecord) throws -> PushNotification {
        guard var notification = try record.payload.map({ try .raw($0) }) ?? shared else {
            throw Problem("the record has no payload, and there is no --payload")
        }
        guard record.hasHeaders else { return notification }
        if let topic = record.topic { notification.topic = Topic(rawValue: topic) }
        if let collapseID = record.collapseID { notification.collapseID = try CollapseID(collapseID) }
        if let text = record.apnsID {
            guard let id = APNSID(text) else { throw Problem("apns_id is not a UUID") }
            notification.apnsID = .fixed(id)
        }
        if let expiration = record.expiration { notification.expiration = Expiration(unixSeconds: expiration) }
        if let priority = record.priority { notification.priority = PushPriority(rawValue: priority) }
        if let type = record.pushType { notification.pushType = PushType(rawValue: type) }
        return notification
    }
}

extension InputRecord {
    fileprivate var hasHeaders: Bool {
        topic != nil || collapseID != nil || apnsID != nil || expiration != nil || priority != nil || pushType != nil
    }
}
