import ProcessRuntime

/// The runtime as a service: it runs until the program ends, or a connection gives up.
extension PushRuntime {
    /// Runs until `shutdownBegins` returns. Then closes all connections at the same time, as ``shutdown(within:)`` does,
    /// within ``Configuration/drainLimit``. If the task is cancelled, the connections end without grace.
    ///
    /// - Parameter shutdownBegins: Returns when the program has to end, and throws if its task is cancelled.
    /// - Throws: ``CredentialRefusal`` if a connection or pool gave up because APNs refuses its credential. What
    ///   `shutdownBegins` throws.
    package func run(until shutdownBegins: @escaping @Sendable () async throws -> Void) async throws {
        let refusal: CredentialRefusal?
        do { refusal = try await firstRefusal(until: shutdownBegins) } catch {
            _ = await shutdown(by: now, takesHandBack: false)
            throw error
        }
        _ = await shutdown(by: now.advanced(by: configuration.drainLimit), takesHandBack: false)
        if let refusal { throw refusal }
    }

    /// The first refusal for which a connection gave up, or nil when `shutdownBegins` returns before.
    private func firstRefusal(
        until shutdownBegins: @escaping @Sendable () async throws -> Void
    ) async throws -> CredentialRefusal? {
        try await withThrowingTaskGroup(of: CredentialRefusal?.self) { [refusals = givenUp.stream] group in
            group.addTask {
                try await shutdownBegins()
                return nil
            }
            group.addTask {
                for await refusal in refusals { return refusal }
                // No connection can give up any more, so wait for the shutdown.
                try await shutdownBegins()
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
