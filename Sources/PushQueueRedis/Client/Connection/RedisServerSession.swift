/// One connection to a server, from its login to its loss, as the server describes itself.
public struct RedisServerSession: Sendable, Hashable {
    /// What the server is in its replication.
    public enum Role: Sendable, Hashable {
        /// It takes writes.
        case primary
        /// It follows this primary, `host:port`, and refuses writes.
        case replica(of: String)
        /// Anything else, such as `sentinel`, in the server's word.
        case other(String)
    }

    /// The number of the session: 1 for the first of a ``RedisConnection``, and one more after each reconnect.
    public let number: UInt64
    /// `redis` or `valkey`, or another name that the server gives itself.
    public let server: String
    /// The version, such as `7.0.15`. Of Valkey it is Valkey's own.
    public let version: String
    /// The run id: another process of the server has another one.
    public let runID: String
    /// The id of its data's history in replication: another one after a server became a replica or a primary. Empty if the server does not
    /// tell it.
    public let replicationID: String
    /// Its role when the session began.
    public let role: Role
    /// Where it is, such as `redis://10.0.0.1:6379`: the server of the address, or the one that a Sentinel or a node of a
    /// cluster named. Empty in a description that was made without it.
    public let address: String
    /// Whether it may have other data than in the session before: its process is another one, because it was restarted or a failover took
    /// place, or its ``replicationID`` is. The latter can also have a harmless cause: its first replica connected, or its last one left an hour ago.
    public let isAnotherServer: Bool

    /// Makes a description, for tests of what uses it.
    public init(
        number: UInt64, server: String, version: String, runID: String, replicationID: String = "", role: Role,
        isAnotherServer: Bool = false, address: String = ""
    ) {
        self.number = number
        self.server = server
        self.version = version
        self.runID = runID
        self.replicationID = replicationID
        self.role = role
        self.isAnotherServer = isAnotherServer
        self.address = address
    }
}
