import PushQueue
import PushQueueRedis
import PushQueueSQLite
import PushTerminal

/// What was seen of a queue.
struct QueueFacts: Sendable {
    enum Store: Sendable {
        case redis(RedisQueueFacts)
        case file(SQLiteQueueFacts)
        /// There is no such file.
        case missing
        case failed(QueueError)
    }

    /// Where it is, for a person.
    let place: String
    let name: String
    /// Whether it is on a server.
    let isServer: Bool
    /// Nil: not reached.
    var store: Store?
    /// Nil: not asked, because that would make the queue.
    var status: Result<QueueStatus, QueueError>?
    /// The signal that ended the examination.
    var signal: StopSignal?
    /// Whether a warning is a failure for the exit status.
    var failsOnWarning = false

    init(place: String, name: String, isServer: Bool) {
        self.place = place
        self.name = name
        self.isServer = isServer
    }
}
