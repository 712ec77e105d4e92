import Logging

extension PushConnection.Configuration {
    /// Where a connection says what it does.
    public struct Watching: Sendable {
        /// Where the connection logs. Nil, the default: to the runtime's logger, see
        /// ``PushRuntime/Configuration/logger``.
        public var logger: Logger?
        /// Where the connection's metrics go. Default: to the factory of `MetricsSystem`.
        public var metrics: MetricsDestination
        /// Where spans of pushes go. Default: to the tracer of `InstrumentationSystem`.
        public var tracing: TracingDestination
        /// Receives every event of the connection. Default: none.
        public var observer: (any ConnectionObserver)?
        /// How many entries the flight recorder keeps, 0 to 65,536, about 50 bytes each; 0 turns it off. Default 256.
        public var flightRecorderLimit: Int

        /// Makes the group. What is not given has its documented default.
        public init(
            logger: Logger? = nil, metrics: MetricsDestination = .bootstrapped,
            tracing: TracingDestination = .bootstrapped, observer: (any ConnectionObserver)? = nil,
            flightRecorderLimit: Int = 256
        ) {
            self.logger = logger
            self.metrics = metrics
            self.tracing = tracing
            self.observer = observer
            self.flightRecorderLimit = flightRecorderLimit
        }

        /// Refuses values out of range; the error names the value and its range.
        func validate() throws(ConnectError) {
            try ConnectError.require(
                (0...65_536).contains(flightRecorderLimit),
                "watching.flightRecorderLimit is \(flightRecorderLimit): it must be 0 to 65536.")
        }
    }
}
