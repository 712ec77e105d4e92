import PushTesting

// A stand-in for Apple, in this very process: no account needed. To push for real, leave it out and make a configuration
// with your own key.
let apple = try SimulatedAPNs()
try apple.start()

let config = apple.connectionConfig

// Connections without a name: each is known by the handle that connect returns, and by its pid.
let runtime = PushRuntime()
var connections: [PushConnection] = []
for _ in 0..<5 { connections.append(try runtime.connect(config: config)) }

// A thousand pushes, each over the next connection; all of them share one provider token.
let flight = PushNotification.alert(title: "Flight A998", body: "Boarding")
// Those at the end wait for their turn: the time of each begins when it is written.
let options = PushOptions(timeoutStart: .write)
let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
    for number in 0..<1_000 {
        let connection = connections[number % connections.count]
        let device = try DeviceToken(String(repeating: "0", count: 60) + String(1_000 + number))
        group.addTask { try await connection.push(flight, to: device, options: options).isAccepted }
    }
    var accepted = 0
    for try await isAccepted in group where isAccepted { accepted += 1 }
    return accepted
}
print("\(accepted) of 1000 accepted over \(connections.count) connections")

// Fire and forget: what ends without an answer comes back from close.
for connection in connections {
    try connection.send(flight, to: DeviceToken(String(repeating: "ab", count: 32)))
    let handBack = await connection.close(within: .seconds(30))
    print("\(connection) closed, \(handBack.unknown.count) pushes of unknown fate")
}
apple.stop()
