import PushTesting

// A campaign: one notification to many devices, in constant memory, at a chosen rate, through server maintenance and a broken
// link. Only what may safely be repeated is pushed again.

let apple = try SimulatedAPNs()
try apple.start()
apple.faults.add(FaultRule(.overallPush(2_000), .goAway(GoAway(reason: "Shutdown"))))
apple.faults.add(FaultRule(.overallPush(3_500), .cut(.reset)))

let config = apple.connectionConfig

let runtime = PushRuntime()
let campaign = try runtime.connect(name: "campaign", config: config)

let sale = PushNotification.alert(title: "Summer sale", body: "Everything must go")
let options = BulkOptions(rate: .perSecond(5_000), maxOutage: .seconds(60))

var delivered = 0
var removed: [DeviceToken] = []
var unknown = 0
var again: [DeviceToken] = []
for try await outcome in campaign.bulk(sale, to: Devices(count: 5_000), options: options) {
    switch outcome.result {
    case .success(let answer) where answer.isAccepted: delivered += 1
    case .success: removed.append(outcome.push.deviceToken)
    case .failure(let error) where error.certainty == .unknown: unknown += 1
    case .failure: again.append(outcome.push.deviceToken)
    }
}

print("delivered \(delivered), to remove \(removed.count), unknown \(unknown), to push again \(again.count)")
await runtime.shutdown(within: .seconds(5))
apple.stop()
precondition(delivered + removed.count + unknown + again.count == 5_000, "a push was lost")
