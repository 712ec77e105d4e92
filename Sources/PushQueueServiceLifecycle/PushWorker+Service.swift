import PushQueue
@_exported import PushServiceLifecycle

/// A worker is a service for swift-service-lifecycle.
///
/// ```swift
/// let group = ServiceGroup(services: [runtime, worker], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await group.run()
/// ```
/// List the worker after the runtime, because a group ends its services in reverse order.
extension PushWorker: Service {
    /// Works until a graceful shutdown begins, its task is cancelled, or `stop(within:)` is called. Each ends
    /// it in order, within `Configuration.stopTime` unless `stop` says another time.
    ///
    /// - Throws: What `run(stopTime:)` throws.
    public func run() async throws {
        try await withGracefulShutdownHandler {
            try await run(stopTime: nil)
        } onGracefulShutdown: {
            self.stop()
        }
    }
}
