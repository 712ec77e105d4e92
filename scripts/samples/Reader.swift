// What the samples of the documents name and do not declare: a reader's own program.

import Foundation
import Logging
import PushServiceLifecycle
import SupervisedPush

let logger = Logger(label: "app")
let pem = ""
let key: [UInt8] = []
let password = "secret"
let gate = PushNotification.alert(title: "Gate", body: "B12")
let sale = PushNotification.alert(title: "Summer sale", body: "Now")
let order = Order(number: 4711)
let aps = APS(alert: Alert(title: "Flight A998", body: "Boarding"))
let devices = Devices()

struct Order: Encodable {
    var number: Int
}

struct Score: Encodable {
    var home: Int
    var guest: Int
}

/// A table of device tokens.
actor Devices {
    func registrationTime(of device: DeviceToken) throws -> Date { .now }
    func remove(_ device: DeviceToken) throws {}
}

/// A table of matches.
actor Matches {
    func forget(_ channel: ChannelID) {}
}

let matches = Matches()

/// A store of secrets.
struct Vault {
    func read(_ path: String) async throws -> [UInt8] { [] }
}

let vault = Vault()

/// A service that pushes.
struct GateWatcher: Service {
    let orders: PushConnection

    init(_ orders: PushConnection) { self.orders = orders }

    func run() async throws { try await gracefulShutdown() }
}

/// A service that pushes for tenants.
struct Orders: Service {
    init<Tenants>(_ tenants: Tenants) {}

    func run() async throws { try await gracefulShutdown() }
}

nonisolated(unsafe) var queue: [PushNotification] = []
let tokens: [DeviceToken] = []
