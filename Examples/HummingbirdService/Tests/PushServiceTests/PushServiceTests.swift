import Foundation
import Hummingbird
import HummingbirdTesting
import PushTesting
import Testing

@testable import PushService

/// The whole service against a simulated APNs: HTTP in, notifications out.
@Suite struct PushServiceTests {
    @Test func aMessageReachesEveryDeviceOfItsUser() async throws {
        try await withSimulatedAPNs { apple, runtime in
            let devices = try DeviceStore()
            let users = try runtime.connect(name: "users", config: apple.connectionConfig)
            try await Application(router: routes(devices, users)).test(.router) { client in
                for token in [DeviceToken.simulated(), .simulated(number: 1)] {
                    try await client.execute(
                        uri: "/devices", method: .put, body: json(["token": token.hex, "user": "ann"])
                    ) { #expect($0.status == .noContent) }
                }
                try await client.execute(
                    uri: "/users/ann/messages", method: .post, body: json(["title": "Flight A998", "body": "Boarding"])
                ) { response in
                    let report = try JSONDecoder().decode(Report.self, from: response.body)
                    #expect(report.accepted == 2)
                }
            }
            #expect(apple.pushes.count == 2)
            #expect(apple.pushes.allSatisfy { $0.alertTitle == "Flight A998" && $0.alertBody == "Boarding" })
        }
    }

    @Test func aDeviceThatIsGoneIsForgottenAndOneThatCameBackIsKept() async throws {
        try await withSimulatedAPNs { apple, runtime in
            let devices = try DeviceStore()
            let log = FeedbackLog()
            let config = apple.connectionConfig.with { $0.feedback = log.recording { try await devices.prune($0) } }
            let users = try runtime.connect(name: "users", config: config)
            let gone = DeviceToken.simulated(.unregistered)
            let back = DeviceToken.simulated(.unregistered, number: 1)
            try await devices.register(gone, for: "ann")
            try await devices.register(back, for: "ann", at: .now.addingTimeInterval(3_600))
            _ = try await users.push(.alert(title: "Hello", body: "Ann"), to: gone)
            _ = try await users.push(.alert(title: "Hello", body: "Ann"), to: back)
            for _ in 0..<2 { #expect(await log.next(timeout: .seconds(60)) != nil) }
            #expect(try await devices.devices(of: "ann") == [back])
        }
    }

    @Test func whatMayHaveBeenDeliveredIsReportedAsUnknown() async throws {
        let devices = try DeviceStore()
        try await devices.register(.simulated(), for: "ann")
        let push = Failing(error: PushError(.timedOut, certainty: .unknown))
        try await Application(router: routes(devices, push)).test(.router) { client in
            try await client.execute(
                uri: "/users/ann/messages", method: .post, body: json(["title": "Hello", "body": "Ann"])
            ) { response in
                let report = try JSONDecoder().decode(Report.self, from: response.body)
                #expect(report.unknown == 1)
            }
        }
    }

    @Test func whatIsNoDeviceTokenIsABadRequest() async throws {
        let devices = try DeviceStore()
        let push = Failing(error: PushError(.closed, certainty: .notSent))
        try await Application(router: routes(devices, push)).test(.router) { client in
            try await client.execute(uri: "/devices", method: .put, body: json(["token": "x", "user": "ann"])) {
                #expect($0.status == .badRequest)
            }
        }
    }

    private func json(_ object: [String: String]) throws -> ByteBuffer {
        ByteBuffer(data: try JSONEncoder().encode(object))
    }
}

/// A fake in a connection's place.
private struct Failing: PushSending {
    let error: PushError

    func push(_ push: Push, options: PushOptions) async throws(PushError) -> PushResponse { throw error }

    func send(_ push: Push, options: PushOptions) throws(PushError) { throw error }
}
