import ProcessRuntime
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
    ///
    /// - Throws: ``CredentialRefusal`` if a connection or pool gave up because APNs refuses its credential, see
    ///   ``OnRefusedCredential/giveUp``, after all others were closed as above; `CancellationError`.
    public func run() async throws {
        let refusal: CredentialRefusal?
        do { refusal = try await shutdownOrGivingUp() } catch {
            _ = await shutdown(by: now, takesHandBack: false)
            throw error
        }
        _ = await shutdown(by: now.advanced(by: configuration.drainLimit), takesHandBack: false)
        if let refusal { throw refusal }
    }

    /// Returns when a graceful shutdown is asked for, or with the first refusal that a connection gave up for.
    private func shutdownOrGivingUp() async throws -> CredentialRefusal? {
        try await withThrowingTaskGroup(of: CredentialRefusal?.self) { [refusals = givenUp.stream] group in
            group.addTask {
                try await gracefulShutdown()
                return nil
            }
            group.addTask {
                for await refusal in refusals { return refusal }
                // Nobody gives up any more; the shutdown decides.
                try await gracefulShutdown()
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
