import Logging

extension PushRuntime {
    /// What concerns a runtime as a whole. Every value has a default.
    public struct Configuration: Sendable {
        /// The most payload bytes that may wait in all connections together; each connection has its own bound besides.
        /// Default 256 MiB, at least 1 MiB. Connections reserve from it in chunks of 8 KiB at most, and hold none while idle.
        public var maxWaitingBytes: Int
        /// How long a runtime that runs as a service goes on after a graceful shutdown was asked for: what waits is still
        /// sent, what is in flight may finish. Default 10 s. See ``PushRuntime/run()``.
        public var drainLimit: Duration
        /// Where connections log that name no logger of their own; nil: nowhere. Default: a logger with the label `supervised-push`, which
        /// writes to where the program's `LoggingSystem.bootstrap` says, and to standard error if it says nothing.
        public var logger: Logger?

        /// Makes a configuration.
        public init(
            maxWaitingBytes: Int = 256 << 20, drainLimit: Duration = .seconds(10),
            logger: Logger? = Logger(label: "supervised-push")
        ) {
            self.maxWaitingBytes = maxWaitingBytes
            self.drainLimit = drainLimit
            self.logger = logger
        }
    }
}
