import Foundation
import Hummingbird
import HummingbirdTesting
import PushQueue
import PushQueueSQLite
import PushTesting
import Testing

@testable import QueueService

/// HTTP in, a queue in a file, a worker, a simulated APNs, and outcomes out.
@Suite struct QueueServiceTests {
    private let file = FileManager.default.temporaryDirectory.appending(path: "queue-service-\(UUID()).db").path

    private func withQueue(_ body: (SQLiteQueue) async throws -> Void) async throws {
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + end) } }
        try await body(SQLiteQueue(file, name: "orders"))
    }

    @Test func whatARequestAskedForIsPushedAndHasAnOutcome() async throws {
        try await withQueue { queue in
            try await Application(router: routes(queue)).test(.router) { client in
                let devices = [DeviceToken.simulated(), .simulated(.unregistered)]
                let ticket = try await notify(client, message(devices.map(\.hex)))
                // No worker runs yet, and nothing is lost.
                #expect(try await queue.status().waiting == 1)
                let feed = try await pushAll(queue) { try await outcomes(client, after: $0) }
                #expect(feed.map(\.entry) == [ticket, ticket])
                #expect(Set(feed.map(\.token)) == Set(devices))
                #expect(feed.map { $0.reason ?? $0.kind.rawValue }.sorted() == ["Unregistered", "delivered"])
            }
        }
    }

    @Test func aRequestThatIsRepeatedIsPushedOnce() async throws {
        try await withQueue { queue in
            try await Application(router: routes(queue)).test(.router) { client in
                let id = EntryID()
                var request = message([DeviceToken.simulated().hex])
                request["id"] = id.description
                for _ in 0..<2 {
                    let ticket = try await notify(client, request)
                    #expect(ticket == id)
                }
                let status = try await queue.status()
                #expect(status.waiting == 1)
            }
        }
    }

    @Test func whatCannotBePushedIsABadRequest() async throws {
        try await withQueue { queue in
            try await Application(router: routes(queue)).test(.router) { client in
                var wrongID = message([DeviceToken.simulated().hex])
                wrongID["id"] = "1"
                for message in [message([]), message(["x"]), wrongID] {
                    try await client.execute(uri: "/notify", method: .post, body: json(message)) {
                        #expect($0.status == .badRequest)
                    }
                }
                try await client.execute(uri: "/outcomes?after=x", method: .get) { #expect($0.status == .badRequest) }
            }
            #expect(try await queue.status().waiting == 0)
        }
    }

    @Test func aFullQueueIsToldToTheClient() async throws {
        let queue = MemoryQueue(maxEntries: 1)
        try await Application(router: routes(queue)).test(.router) { client in
            _ = try await notify(client, message([DeviceToken.simulated().hex]))
            try await client.execute(
                uri: "/notify", method: .post, body: json(message([DeviceToken.simulated().hex]))
            ) { #expect($0.status == .serviceUnavailable) }
        }
    }

    // MARK: Steps

    /// Runs a worker until the feed has two rows.
    private func pushAll(
        _ queue: SQLiteQueue, _ read: @Sendable (String?) async throws -> Feed
    ) async throws -> [QueueOutcome] {
        var rows: [QueueOutcome] = []
        try await withSimulatedAPNs { apple, runtime in
            let worker = PushWorker(
                queue: queue, connection: try runtime.connect(name: "orders", config: apple.connectionConfig))
            async let work: Void = worker.run()
            var position: String?
            while rows.count < 2 {
                let feed = try await read(position)
                rows += feed.outcomes
                position = feed.position
                // The feed tells nobody that it has grown.
                if rows.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
            }
            worker.stop(within: .seconds(5))
            try await work
        }
        return rows
    }

    private func message(_ devices: [String]) -> [String: Any] {
        ["devices": devices, "title": "Flight A998", "body": "Boarding"]
    }

    private func notify(_ client: some TestClientProtocol, _ message: [String: Any]) async throws -> EntryID {
        try await client.execute(uri: "/notify", method: .post, body: json(message)) { response in
            #expect(response.status == .accepted)
            return try JSONDecoder().decode(Ticket.self, from: response.body).id
        }
    }

    private func outcomes(_ client: some TestClientProtocol, after position: String?) async throws -> Feed {
        let query = position.map { "?after=\($0)" } ?? ""
        return try await client.execute(uri: "/outcomes" + query, method: .get) { response in
            try JSONDecoder().decode(Feed.self, from: response.body)
        }
    }

    private func json(_ object: [String: Any]) throws -> ByteBuffer {
        ByteBuffer(data: try JSONSerialization.data(withJSONObject: object))
    }
}
