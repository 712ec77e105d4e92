import PushQueue
import PushQueueRedis

extension RedisConnection.Configuration {
    /// A configuration whose calls also wait for a server that gets no processor time for a while.
    package static func patient(_ url: String) throws(QueueError) -> Self {
        var configuration = try Self(url: url)
        configuration.timeLimit = .seconds(30)
        return configuration
    }
}
