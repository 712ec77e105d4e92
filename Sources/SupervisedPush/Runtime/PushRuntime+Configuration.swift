import Logging

extension PushRuntime {
    /// The configuration of a runtime. Every value has a default.
    public struct Configuration: Sendable {
        /// The most payload bytes that may wait in all connections together. Each connection also has a limit of its
        /// own. Default 256 MiB, at least 1 MiB. Connections reserve bytes in chunks of at most 8 KiB, and hold none
        /// while idle.
        public var maxWaitingBytes: Int
        /// How long a runtime that runs as a service continues after a graceful shutdown begins: waiting pushes are
        /// still sent, pushes in flight may finish. Default 10 s. See ``PushRuntime/run()``.
        public var drainLimit: Duration
        /// Where connections without a logger of their own log; nil: nowhere. The default is a logger with the label
        /// `supervised-push`. It writes to the backend that the program's `LoggingSystem.bootstrap` set, otherwise to
        /// standard error.
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
