import PushTesting

// A stand-in for Apple, in this very process: no account needed. To push for real, leave it out and make a configuration
// with your own key.
let apple = try SimulatedAPNs()
try apple.start()

let config = apple.connectionConfig.with {
    $0.feedback = { event in print("feedback: \(event.deviceToken) is invalid since \(event.invalidatedAt)") }
}

let runtime = PushRuntime()
let mailbox = Mailbox<LifecycleMessage>()
try runtime.connect(name: "orders", config: config, owner: mailbox)  // returns at once and dials by itself

let watching = Task {
    for await message in mailbox {
        switch message {
        case .connectionUp(let pid, _, let generation): print("up: \(pid), link \(generation)")
        case .reconnecting(_, _, let attempt, let delay, let cause): print("attempt \(attempt) in \(delay): \(cause)")
        default: break
        }
    }
}

let flight = PushNotification.alert(title: "Flight A998", body: "Boarding")
let devices = [String(repeating: "ab", count: 32), "deadbeef" + String(repeating: "00", count: 28)]
for device in devices {
    let answer = try await runtime.push(name: "orders", flight, to: DeviceToken(device))
    print(answer.isAccepted ? "accepted" : "rejected: \(answer)")
}

await apple.cutConnections()  // the link breaks; the name does not
// A push that is written before the loss is noticed may have been processed: only who says so has it sent again.
let again = PushOptions(resend: .resendUnknown)
let answer = try await runtime.push(name: "orders", flight, to: DeviceToken(devices[0]), options: again)
print("after the cut: \(answer.status)")

await runtime.shutdown(within: .seconds(5))
mailbox.close()
await watching.value
apple.stop()
