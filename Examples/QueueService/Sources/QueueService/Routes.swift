import Hummingbird
import PushQueue
import SupervisedPush

/// What a client asks for.
struct Message: Decodable {
    /// 16 random bytes in hexadecimal digits. A client that got no answer repeats the request with the same id within a
    /// minute: the queue adds nothing then.
    var id: String?
    var devices: [String]
    var title: String
    var body: String
}

/// The answer: the queue has it, and each device gets one outcome under this id.
struct Ticket: Codable, ResponseEncodable {
    var id: EntryID
}

/// What became of pushes, as `pushctl queue outcomes --json` prints it.
struct Feed: Codable, ResponseEncodable {
    var outcomes: [QueueOutcome]
    /// Where to go on; nil if nothing was ever pushed.
    var position: String?
}

/// The service's routes. They need no connection to APNs: what is in the queue survives this process.
func routes(_ queue: any PushQueueProducer & PushQueueReader) -> Router<BasicRequestContext> {
    let router = Router()

    router.post("notify") { request, context -> EditedResponse<Ticket> in
        let entry = try entry(try await request.decode(as: Message.self, context: context))
        do throws(QueueError) { try await queue.enqueue([entry]) } catch { throw httpError(error) }
        return EditedResponse(status: .accepted, response: Ticket(id: entry.id))
    }

    router.get("outcomes") { request, _ -> Feed in
        do throws(QueueError) {
            let after = request.uri.queryParameters.get("after")
            let page = try await queue.outcomes(.all, after: after, limit: 1_000)
            return Feed(outcomes: page.outcomes, position: page.position)
        } catch { throw httpError(error) }
    }
    return router
}

/// Checks a request before anything of it is in the queue.
private func entry(_ message: Message) throws -> QueueEntry {
    let devices = try message.devices.map { text in
        guard let token = try? DeviceToken(text) else {
            throw HTTPError(.badRequest, message: "devices has a text that is not a device token")
        }
        return token
    }
    let id = message.id.map { EntryID($0) } ?? EntryID()
    guard let id else { throw HTTPError(.badRequest, message: "id is not 32 hexadecimal digits") }
    do throws(QueueError) {
        return try QueueEntry(.alert(title: message.title, body: message.body), to: devices, id: id)
    } catch { throw httpError(error) }
}

/// The descriptions show no token and no payload, so a client may read them.
private func httpError(_ error: QueueError) -> HTTPError {
    switch error.code {
    case .invalidEntry: HTTPError(.badRequest, message: error.description)
    case .full, .unreachable: HTTPError(.serviceUnavailable, message: error.description)
    default: HTTPError(.internalServerError, message: error.description)
    }
}
