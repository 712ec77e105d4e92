import Dispatch
import PushTesting

// A stand-in for Apple, in this very process: no account needed. To push for real, leave it out and make a configuration
// with your own key.
let apple = try SimulatedAPNs()
try apple.start()

let config = apple.connectionConfig

// Fifty connections without names of their own, under one name. Each push goes to the one that is least loaded.
let runtime = PushRuntime()
let bulk = try runtime.connect(name: "bulk", size: 50, config: config)
try await bulk.waitUntilUp()

let flight = PushNotification.alert(title: "Flight A998", body: "Boarding")
// Those at the end wait for their turn: the time of each begins when it is written.
let options = PushOptions(timeoutStart: .write)
@Sendable func device(_ number: Int) throws -> DeviceToken {
    try DeviceToken(String(repeating: "0", count: 56) + String(10_000_000 + number))
}

let outcomes = await withTaskGroup(of: String.self) { group in
    for number in 0..<5_000 {
        group.addTask {
            do {
                return try await bulk.push(flight, to: device(number), options: options).isAccepted
                    ? "accepted" : "rejected"
            } catch let error as PushError {
                return error.certainty.rawValue
            } catch {
                return "not a device token"
            }
        }
        // In the middle of it one of the links breaks: what was written on it is unknown, everything else goes elsewhere.
        if number == 2_500, let victim = apple.connections.first { await apple.cutConnections(on: .only(victim)) }
    }
    var outcomes: [String: Int] = [:]
    for await outcome in group { outcomes[outcome, default: 0] += 1 }
    return outcomes
}
print(outcomes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))

// Ten are enough from now on; more come by themselves when the load asks for it. Those that go finish what they have.
try bulk.resize(to: 10...50)
print(bulk.status)

await bulk.close(within: .seconds(5))
apple.stop()
