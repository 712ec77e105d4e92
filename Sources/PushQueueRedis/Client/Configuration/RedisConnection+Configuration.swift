import PushQueue

extension RedisConnection {
    /// How a ``RedisConnection`` connects, and how much it lets wait.
    public struct Configuration: Sendable, CustomStringConvertible {
        /// Where the server is.
        public var address: RedisServerAddress
        /// Whom to trust and what to show, if the address uses TLS.
        public var tls = RedisTLS()
        /// What the server lists this connection as (CLIENT SETNAME): visible characters without spaces. By default
        /// `supervised-push`. Nil or empty sets no name.
        public var clientName: String? = "supervised-push"
        /// A key that the server must have. On a cluster, each connection asks for it first, and so goes to the node that has
        /// it. Nil, the default: a connection stays with its node until a command of a call is redirected.
        public var routingKey: String?
        /// How long a connection may take until the server has answered the login. More than zero; by default 5 seconds.
        public var connectLimit: Duration = .seconds(5)
        /// How long a call may take. More than zero; by default 5 seconds. The time that a command itself may wait, such as
        /// XREAD with BLOCK, comes on top.
        public var timeLimit: Duration = .seconds(5)
        /// How long a connection without a call may be silent until it asks the server with PING. More than zero; by
        /// default 15 seconds. A server that does not answer it within ``timeLimit`` is given up, so that one that vanished
        /// is noticed before the next call.
        public var pingInterval: Duration = .seconds(15)
        /// How many commands may be unanswered, of all calls together. More than 0; by default 100,000.
        public var commandLimit = 100_000
        /// How many bytes the unanswered commands may have together. More than 0; by default 64 MiB. One call that is
        /// larger is let in when no other is unanswered.
        public var byteLimit = 64 << 20

        /// A configuration with the defaults.
        public init(_ address: RedisServerAddress) { self.address = address }

        /// A configuration with the defaults for a URL; see ``RedisServerAddress/init(url:passwordFile:)``.
        public init(url: String, passwordFile: String? = nil) throws(QueueError) {
            self.init(try RedisServerAddress(url: url, passwordFile: passwordFile))
        }

        /// - Throws: `failed`, which names a value that is out of range.
        func check() throws(QueueError) {
            let rules = [
                (connectLimit > .zero, "connectLimit must be more than zero"),
                (timeLimit > .zero, "timeLimit must be more than zero"),
                (pingInterval > .zero, "pingInterval must be more than zero"),
                (commandLimit > 0, "commandLimit must be more than 0"),
                (byteLimit > 0, "byteLimit must be more than 0"),
                (address.database >= 0, "the database must be 0 or more"),
                (address.socketPath == nil || !address.usesTLS, "a Unix socket has no TLS"),
                (
                    address.sentinels.map { 1...RedisSentinels.limit ~= $0.nodes.count } ?? true,
                    "there must be from 1 to \(RedisSentinels.limit) Sentinels"
                ),
                (address.sentinels?.primary.isEmpty != true, "the name of the primary is empty"),
                (
                    (clientName ?? "").utf8.allSatisfy { 0x21...0x7e ~= $0 },
                    "clientName must have visible ASCII characters only, and no spaces"
                ),
            ]
            guard let wrong = rules.first(where: { !$0.0 })?.1 else { return }
            throw QueueError(.failed, "The configuration for \(self) is not valid: \(wrong).")
        }

        /// The configuration for one of the servers that a connection goes to.
        func reaching(_ target: RedisTarget) -> Configuration {
            var configuration = self
            switch target {
            case .sentinel(let node):
                configuration.address = RedisServerAddress(
                    host: node.host, port: node.port, usesTLS: address.usesTLS, user: address.sentinels?.user,
                    password: address.sentinels?.password)
            case .server(let node):
                guard node != address.node || address.sentinels != nil else { return self }
                (configuration.address.host, configuration.address.port) = (node.host, node.port)
                configuration.address.sentinels = nil
            }
            return configuration
        }

        /// How long a connection to such a server may take. All Sentinels together take less than one server, so that a
        /// call hears of the last of them.
        func limit(for target: RedisTarget) -> Duration {
            guard case .sentinel = target, let count = address.sentinels?.nodes.count else { return connectLimit }
            return connectLimit / (count + 1)
        }

        /// The address, without user and password.
        public var description: String { address.description }
    }
}
