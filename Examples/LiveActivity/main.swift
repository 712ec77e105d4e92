import Foundation
import PushTesting

// A match on a million lock screens: one request per goal, to a broadcast channel that the devices follow.

// A stand-in for Apple, in this very process: no account needed. To push for real, leave it out and make a configuration
// with your own key.
let apple = try SimulatedAPNs()
try apple.start()
let config = apple.connectionConfig

// What the app's ActivityAttributes.ContentState decodes.
struct Score: Encodable, Sendable {
    var home = 0
    var guest = 0
    var minute = 0
}

let runtime = PushRuntime()
let live = try runtime.connect(name: "live", config: config)

// Once for a match: a channel. Its id goes to the app, which subscribes its Live Activities with it.
let channels = try runtime.channels(config: apple.managementConfig)
let channel = try await channels.create(storage: .mostRecentMessage)

// For each goal a broadcast. Devices that are offline get the latest one within the hour.
var score = Score()
for minute in [12, 45, 78] {
    score.home += 1
    score.minute = minute
    var goal = try PushNotification.liveActivity(.update(score))
    goal.expiration = .at(.now + 3_600)
    let answer = try await live.broadcasts.push(goal, to: channel)
    print("\(score.home):\(score.guest) in minute \(minute): \(answer)")
}

// After the match.
try await channels.delete(channel)
let gone = try await live.broadcasts.push(.liveActivity(.update(score)), to: channel)
print("after the match: \(gone)")

await channels.close()
await runtime.shutdown(within: .seconds(5))
apple.stop()
precondition(apple.broadcasts.count == 3 && gone.advice == .forgetChannel, "a goal was lost")
