import Foundation
import PushQueue
import PushQueueSQLite
import SupervisedPush
import TestSupport
import Testing

/// A simulated APNs with a log, and a queue in a file.
struct QueueStage {
    /// A request that the simulator has seen.
    struct Request: Decodable {
        let connection: Int
        let token: String
        let apnsID: String

        enum CodingKeys: String, CodingKey {
            case connection, token
            case apnsID = "apns_id"
        }
    }

    let stage: Stage
    var path: String { stage.folder + "/pushes.db" }
    /// The flags that lead to the queue.
    var queue: [String] { ["--queue", path] }

    init(script: String? = nil) async throws { stage = try await Stage(script: script, log: true) }

    /// The queue, for the test itself.
    func store(_ name: String = "push") -> any PushQueueStore { SQLiteQueue(path, name: name) }

    func put(_ count: Int, _ flags: [String] = []) async throws -> Program.End {
        let input = try stage.file("input.csv", Stage.tokens(0..<count))
        return try await Stage.run(["queue", "put", input, "--title", "Hello"] + queue + flags)
    }

    func worker(_ flags: [String] = []) throws -> Program {
        try Program(["worker", "--json", "--create"] + queue + stage.connection + flags)
    }

    /// Waits until the queue has this many outcomes.
    func outcomes(_ count: Int, in name: String = "push") async throws {
        let store = store(name)
        try await until { try await store.status().outcomes >= count }
    }

    /// All outcomes.
    func rows(in name: String = "push") async throws -> [QueueOutcome] {
        let store = store(name)
        var (rows, position) = ([QueueOutcome](), String?.none)
        while true {
            let page = try await store.outcomes(.all, after: position, limit: 1_000)
            if page.outcomes.isEmpty { return rows }
            rows += page.outcomes
            position = page.position
        }
    }

    /// Ends the simulator, and reads its log.
    func requests() async throws -> [Request] {
        stage.simulator.signal(SIGTERM)
        _ = await stage.simulator.end()
        let lines = try String(contentsOfFile: stage.log, encoding: .utf8).split(separator: "\n")
        return try lines.map { try JSONDecoder().decode(Request.self, from: Data($0.utf8)) }
    }

    /// The tokens of the input.
    static func tokens(_ count: Int) -> Set<String> {
        Set(Stage.tokens(0..<count, header: false).split(separator: "\n").map(String.init))
    }
}
