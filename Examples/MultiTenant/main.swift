import PushSimulator
import SupervisedPush

// A provider that pushes for many customers: a connection for each, with its own key, made when it is needed. One customer's key
// is unknown to Apple, which is nothing to the others.

// A stand-in for Apple, in this very process, which knows the keys of all tenants but one.
let keys = try (0..<20).map { number in
    try ThrowAwayCredentials(keyID: "KEY\(1_000_000 + number)", teamID: "TEAM\(100_000 + number)")
}
var simulated = SimulatedAPNs.Configuration()
simulated.keys = try keys.dropLast().map {
    try ProviderKey(pem: $0.signingKeyPEM, keyID: $0.keyID, teamID: $0.teamID)
}
simulated.topics = .listed(Set(keys.indices.map { "com.example.app\($0)" }))
let apple = try SimulatedAPNs(simulated)
let port = try apple.start()

let runtime = PushRuntime()
let tenants = Tenants(
    runtime,
    template: PushConnection.Configuration.Template(
        host: "localhost", port: port, trust: .pem(apple.credentials.authorityPEM)
    ).with {
        // One tenant's outage must not use up the memory of all.
        $0.limits.maxWaiting = 1_000
    })

let everyone = keys.enumerated().map { number, key in
    Tenant(
        id: "tenant-\(number)",
        credential: .token(key: .pem(key.signingKeyPEM), keyID: key.keyID, teamID: key.teamID),
        topic: "com.example.app\(number)")
}
let notification = PushNotification.alert(title: "News", body: "For you")
let device = try DeviceToken(String(repeating: "ab", count: 32))
// A thousand at once wait for their turn: the time of each begins when it is written.
let options = PushOptions(timeoutStart: .write)

var outcomes: [String: Int] = [:]
await withTaskGroup(of: String.self) { group in
    for tenant in everyone {
        for _ in 0..<50 {
            group.addTask {
                do {
                    let connection = try tenants.connection(for: tenant)
                    let answer = try await connection.push(notification, to: device, options: options)
                    return answer.isAccepted ? "accepted" : "rejected"
                } catch let error as PushError {
                    return error.code.name
                } catch {
                    return "\(error)"
                }
            }
        }
    }
    for await outcome in group { outcomes[outcome, default: 0] += 1 }
}
print(outcomes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
print(runtime.supervisionTree.children.last?.status ?? "no connection")

await tenants.close(everyone[0])
await runtime.shutdown(within: .seconds(5))
apple.stop()
precondition(outcomes["accepted"] == 19 * 50, "a tenant's trouble is another's")
