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

/// Runs `body` with a runtime, and shuts the runtime down when `body` is over: when it returns, when it throws, and when
/// it ends because its task was cancelled.
///
/// ```swift
/// try await withPushRuntime { runtime in
///     let orders = try runtime.connect(name: "orders", config: config)
///     print(try await orders.push(.alert(title: "Flight A998", body: "Boarding"), to: device))
/// }
/// ```
/// The shutdown is that of ``PushRuntime/shutdown(within:)``: waiting pushes are still sent, and pushes in flight may
/// finish. Cancelling the task does not shorten it. Fire-and-forget pushes that end without an answer go to the owners'
/// mailboxes; what no mailbox takes is counted in the log.
///
/// - Parameters:
///   - configuration: The configuration of the runtime.
///   - limit: How long the shutdown may take. Default 10 s. Zero or less ends all connections at once.
///   - isolation: The actor on which `body` runs; the caller's.
///   - body: What to do with the runtime. Do not use the runtime after it.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
public func withPushRuntime<Value, Failure: Error>(
    _ configuration: PushRuntime.Configuration = PushRuntime.Configuration(),
    shutdownWithin limit: Duration = .seconds(10),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (_ runtime: PushRuntime) async throws(Failure) -> Value
) async throws(Failure) -> Value {
    try await PushRuntime(configuration).shutDown(within: limit, after: body)
}

extension PushRuntime {
    /// Runs `body`, then shuts down, however `body` ends. Owners get their pushes back.
    func shutDown<Value, Failure: Error>(
        within limit: Duration, isolation: isolated (any Actor)? = #isolation,
        after body: (_ runtime: PushRuntime) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure>
        do throws(Failure) { result = .success(try await body(self)) } catch { result = .failure(error) }
        _ = await shutdown(by: now.advanced(by: max(limit, .zero)), takesHandBack: false)
        return try result.get()
    }
}
