import ServiceLifecycle

/// A runtime as a service of a program that is run by swift-service-lifecycle.
///
/// ```swift
/// let group = ServiceGroup(services: [runtime, server], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await group.run()
/// ```
/// Put what pushes behind the runtime in the list: a group ends its services in reverse order.
extension PushRuntime: Service {
    /// Runs until a graceful shutdown is asked for; then closes every connection, all at the same time, as
    /// ``shutdown(within:)`` does, within ``Configuration/drainLimit``.
    ///
    /// If its task is cancelled, the connections end without grace. What fire-and-forget pushes are left goes to the owners'
    /// mailboxes, as `LifecycleMessage.handedBack`. Connections may be made before and while it runs.
    public func run() async throws {
        do { try await gracefulShutdown() } catch {
            _ = await shutdown(by: now, takesHandBack: false)
            throw error
        }
        _ = await shutdown(by: now.advanced(by: configuration.drainLimit), takesHandBack: false)
    }
}
