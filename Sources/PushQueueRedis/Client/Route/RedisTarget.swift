/// Where a connection goes.
enum RedisTarget: Hashable, Sendable {
    /// To a Sentinel, to ask it for the primary.
    case sentinel(RedisNode)
    /// To the server that gets the calls.
    case server(RedisNode)
}
