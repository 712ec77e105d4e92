import Foundation
import PushQueue
import PushQueueSQLite
import PushTesting

// A stand-in for Apple, in this very process: no account needed. To push for real, leave it out and make a configuration
// with your own key.
let apple = try SimulatedAPNs()
try apple.start()

let config = apple.connectionConfig

let folder = FileManager.default.temporaryDirectory.appending(path: "queued-pushes-\(UUID())")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let file = folder.appending(path: "pushes.db").path

// The producer: a web service does this in the request that asks for the pushes. Once `enqueue` returns, they survive it.
let orders = SQLiteQueue(file, name: "orders")
let flight = PushNotification.alert(title: "Flight A998", body: "Boarding")
@Sendable func device(_ number: Int) throws -> DeviceToken {
    try DeviceToken(String(repeating: "0", count: 56) + String(10_000_000 + number))
}
// The simulator answers 410 to the last one.
let devices = try (0..<5_000).map(device) + [DeviceToken("deadbeef" + String(repeating: "0", count: 56))]
try await orders.enqueue(flight, to: devices)
print("\(try await orders.status().waiting) entries wait")

// Two workers: usually programs of their own, on the same machine, or on many with `RedisQueue`. They open the file themselves.
let runtime = PushRuntime()
let workers = try ["first", "second"].map { name in
    PushWorker(queue: SQLiteQueue(file, name: "orders"), connection: try runtime.connect(name: name, config: config))
}
try await withThrowingTaskGroup(of: Void.self) { group in
    for worker in workers { group.addTask { try await worker.run() } }

    // Whoever wants to know reads the outcomes, from a position that it keeps.
    var counts: [PushOutcome.Kind: Int] = [:]
    for try await page in orders.outcomes(after: nil) {
        for outcome in page.outcomes { counts[outcome.kind, default: 0] += 1 }
        // A program that goes on later stores `page.position` here.
        if counts.values.reduce(0, +) == devices.count { break }
    }
    print(counts.map { "\($0.value) \($0.key.rawValue)" }.sorted().joined(separator: ", "))
    let feedback = try await orders.outcomes(.feedback, after: nil, limit: 10)
    print("delete \(feedback.outcomes.count) token, which is \(feedback.outcomes.first?.reason ?? "")")

    for worker in workers { worker.stop(within: .seconds(5)) }
    try await group.waitForAll()
}
print("\(try await orders.status().taken) entries are with a worker")
await runtime.shutdown(within: .seconds(5))
apple.stop()
