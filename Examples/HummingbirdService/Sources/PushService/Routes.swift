import Hummingbird
import SupervisedPush

/// What an app sends when it has its device token.
struct Registration: Decodable {
    var token: String
    var user: String
}

/// What a user is to be told.
struct Message: Decodable {
    var title: String
    var body: String
}

/// How the pushes to a user's devices ended.
struct Report: Codable, ResponseEncodable {
    var accepted = 0
    var rejected = 0
    /// Not delivered: safe to ask for again.
    var failed = 0
    /// May have been delivered: ask again only if a duplicate does no harm.
    var unknown = 0
}

/// The service's routes. It pushes through whatever can push: a connection, or a fake in a test.
func routes(_ devices: DeviceStore, _ push: any PushSending) -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: LogRequestsMiddleware(.info))

    router.put("devices") { request, context -> HTTPResponse.Status in
        let registration = try await request.decode(as: Registration.self, context: context)
        guard let token = try? DeviceToken(registration.token) else {
            throw HTTPError(.badRequest, message: "token is not a device token")
        }
        try await devices.register(token, for: registration.user)
        return .noContent
    }

    router.post("users/:user/messages") { request, context -> Report in
        let message = try await request.decode(as: Message.self, context: context)
        let user = try context.parameters.require("user")
        let notification = PushNotification.alert(title: message.title, body: message.body)
        return try await withThrowingTaskGroup(of: Report.self) { group in
            for device in try await devices.devices(of: user) {
                group.addTask { await deliver(notification, to: device, over: push) }
            }
            return try await group.reduce(into: Report()) { $0.add($1) }
        }
    }
    return router
}

private func deliver(
    _ notification: PushNotification, to device: DeviceToken, over push: any PushSending
) async -> Report {
    do throws(PushError) {
        let answer = try await push.push(notification, to: device)
        return answer.isAccepted ? Report(accepted: 1) : Report(rejected: 1)
    } catch {
        return error.certainty < .unknown ? Report(failed: 1) : Report(unknown: 1)
    }
}

extension Report {
    fileprivate mutating func add(_ other: Report) {
        accepted += other.accepted
        rejected += other.rejected
        failed += other.failed
        unknown += other.unknown
    }
}
