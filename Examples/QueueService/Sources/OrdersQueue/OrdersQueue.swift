import Foundation
import PushQueue
import PushQueueRedis
import PushQueueSQLite

/// The queue that the service and its workers share, as the environment variable `QUEUE` says: a file on this machine,
/// or the URL of a Redis server for many machines.
public func openQueue() throws -> any PushQueueStore {
    let place = ProcessInfo.processInfo.environment["QUEUE"] ?? "pushes.db"
    guard place.contains("://") else { return SQLiteQueue(place, name: "orders") }
    return try RedisQueue("orders", connection: .init(url: place))
}
