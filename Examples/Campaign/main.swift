import Foundation
import PushCampaign
import PushConfiguration
import SupervisedPush

// A campaign: one text to each device of a CSV file, with the values of its row. Started again after any end, also after a
// kill, it goes on where it was, and pushes nothing twice.

let environment = ProcessInfo.processInfo.environment
try await withPushRuntime { runtime in
    let config = try PushConnection.Configuration(contentsOf: environment["PUSHCTL_CONFIG"] ?? "push.json")
    let connection = try runtime.connect(name: "sale", config: config)

    var configuration = Campaign.Configuration()
    configuration.rate = .perSecond(1_000)
    configuration.outcomes = "outcomes.csv"
    configuration.journal = "sale.journal"
    let sale = Campaign(
        records: "devices.csv",
        content: .notification(.alert(title: "Hello {{name}}", body: "Everything must go: {{percent}} % off")),
        over: connection, configuration: configuration)
    for try await row in sale.run() where row.kind == .rejected {
        print("line \(row.line): \(row.reason ?? "rejected")")
    }
    print(sale.progress)
}
