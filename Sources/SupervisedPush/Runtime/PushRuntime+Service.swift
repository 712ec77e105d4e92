import ProcessRuntime
import ServiceLifecycle

/// A runtime is a service for swift-service-lifecycle.
///
/// ```swift
/// let group = ServiceGroup(services: [runtime, server], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await group.run()
/// ```
/// List the services that push after the runtime, because a group ends its services in reverse order.
extension PushRuntime: Service {
    /// Runs until a graceful shutdown begins. Then closes all connections at the same time, as ``shutdown(within:)``
    /// does, within ``Configuration/drainLimit``.
    ///
    /// If its task is cancelled, the connections end without grace. Remaining fire-and-forget pushes go to the owners'
    /// mailboxes, as `LifecycleMessage.handedBack`. Connections may be made before and while it runs.
    ///
    /// - Throws: ``CredentialRefusal`` if a connection or pool gave up because APNs refuses its credential, see
    ///   ``OnRefusedCredential/giveUp``; all others are closed first, as above. `CancellationError`.
    public func run() async throws {
        let refusal: CredentialRefusal?
        do { refusal = try await shutdownOrGivingUp() } catch {
            _ = await shutdown(by: now, takesHandBack: false)
            throw error
        }
        _ = await shutdown(by: now.advanced(by: configuration.drainLimit), takesHandBack: false)
        if let refusal { throw refusal }
    }

    /// Returns when a graceful shutdown begins, or with the first refusal for which a connection gave up.
    private func shutdownOrGivingUp() async throws -> CredentialRefusal? {
        try await withThrowingTaskGroup(of: CredentialRefusal?.self) { [refusals = givenUp.stream] group in
            group.addTask {
                try await gracefulShutdown()
                return nil
            }
            group.addTask {
                for await refusal in refusals { return refusal }
                // No connection can give up any more, so wait for the shutdown.
                try await gracefulShutdown()
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
