import PushTesting

// A worker of a job queue that lets the certainty of a push decide what becomes of its job. It rehearses a bad day:
// devices that are gone, a hiccup of APNs, and links that break while a hundred pushes fly.

let apple = try SimulatedAPNs()
try apple.start()
apple.faults.add(FaultRule(.everyOverallPush(25), .refuse(.serviceUnavailable), times: 4))
// Every eightieth push is processed, and the link breaks before its answer is out.
apple.faults.add(FaultRule(.everyOverallPush(80), .cut(.reset), times: 3))

// The queue retries by its own rules, and knows more about its jobs than a connection can: `.never` leaves it all to it.
let config = apple.connectionConfig.with { $0.retry.resend = .never }

let runtime = PushRuntime()
let worker = Worker(connection: try runtime.connect(name: "jobs", config: config))

// 300 jobs: two thirds can be repeated without harm, one in twenty goes to a device whose app was removed.
let jobs = try (0..<300).map { number in
    let prefix = number % 20 == 0 ? "deadbeef" : "ab000000"
    let digits = String(number + 1, radix: 16)
    let token = try DeviceToken(prefix + String(repeating: "0", count: 56 - digits.count) + digits)
    return Job(number: number, kind: number % 3 == 0 ? .oneTimeCode : .orderStatus, deviceToken: token)
}
let tally = await worker.work(through: jobs)

tally.print(of: jobs.count)
await runtime.shutdown(within: .seconds(5))
apple.stop()
precondition(tally.ended == jobs.count, "a job was lost")
