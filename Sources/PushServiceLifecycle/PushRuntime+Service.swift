@_exported import ServiceLifecycle
import SupervisedPush
@_exported import UnixSignals

/// A runtime is a service for swift-service-lifecycle.
///
/// ```swift
/// let group = ServiceGroup(services: [runtime, server], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await group.run()
/// ```
/// List the services that push after the runtime, because a group ends its services in reverse order.
extension PushRuntime: Service {
    /// Runs until a graceful shutdown begins. Then closes all connections at the same time, as `shutdown(within:)`
    /// does, within `Configuration.drainLimit`.
    ///
    /// If its task is cancelled, the connections end without grace. Remaining fire-and-forget pushes go to the owners'
    /// mailboxes, as `LifecycleMessage.handedBack`. Connections may be made before and while it runs.
    ///
    /// - Throws: `CredentialRefusal` if a connection or pool gave up because APNs refuses its credential, see
    ///   `OnRefusedCredential.giveUp`; all others are closed first, as above. `CancellationError`.
    public func run() async throws { try await run(until: { try await gracefulShutdown() }) }
}
